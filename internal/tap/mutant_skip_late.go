//go:build mutant_skip_late

package tap

const mutant = "skip_late"
