//go:build mutant_exit1_on_signal

package process

const mutant = "exit1_on_signal"
