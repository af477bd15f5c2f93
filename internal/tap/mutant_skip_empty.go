//go:build mutant_skip_empty

package tap

const mutant = "skip_empty"
