//go:build mutant_copy_stdin

package process

const mutant = "copy_stdin"
