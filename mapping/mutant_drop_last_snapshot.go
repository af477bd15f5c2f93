//go:build mutant_drop_last_snapshot

package mapping

const mutant = "drop_last_snapshot"
