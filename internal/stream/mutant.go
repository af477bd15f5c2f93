package stream

// Deliberate faults, each behind a build tag of its name, to see that a test finds it. Without one all
// of this is compiled away.
const (
	mutantSkipKeyOrder = mutant == "skip_keyorder"  // MayMatter goes by a line's first bytes
	mutantDropLastLine = mutant == "drop_last_line" // a last line needs a newline
	mutantStaleCache   = mutant == "stale_cache"    // a new run of a task starts from its old snapshot
)
