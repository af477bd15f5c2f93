//go:build mutant_done_is_final

package mapping

const mutant = "done_is_final"
