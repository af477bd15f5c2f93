//go:build mutant_settle_first_done

package mapping

const mutant = "settle_first_done"
