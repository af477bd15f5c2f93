//go:build !mutant_forward_twice && !mutant_exit1_on_signal && !mutant_copy_stdin && !mutant_skip_drain && !mutant_swallow_epipe

package process

const mutant = ""
