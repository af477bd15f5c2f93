//go:build mutant_stale_cache

package stream

const mutant = "stale_cache"
