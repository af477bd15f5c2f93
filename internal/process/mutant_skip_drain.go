//go:build mutant_skip_drain

package process

const mutant = "skip_drain"
