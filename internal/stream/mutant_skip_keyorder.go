//go:build mutant_skip_keyorder

package stream

const mutant = "skip_keyorder"
