//go:build mutant_swallow_epipe

package process

const mutant = "swallow_epipe"
