//go:build mutant_grace_ignored

package mapping

const mutant = "grace_ignored"
