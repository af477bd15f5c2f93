//go:build mutant_replace_ended

package tap

const mutant = "replace_ended"
