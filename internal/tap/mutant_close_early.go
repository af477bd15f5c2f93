//go:build mutant_close_early

package tap

const mutant = "close_early"
