//go:build mutant_forward_twice

package process

const mutant = "forward_twice"
