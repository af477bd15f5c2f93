//go:build mutant_drop_last_line

package stream

const mutant = "drop_last_line"
