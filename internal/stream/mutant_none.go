//go:build !mutant_skip_keyorder && !mutant_drop_last_line && !mutant_stale_cache

package stream

const mutant = ""
