//go:build !mutant_close_early && !mutant_replace_ended && !mutant_skip_empty && !mutant_skip_late

package tap

const mutant = ""
