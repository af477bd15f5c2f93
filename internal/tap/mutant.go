package tap

// Deliberate faults, each behind a build tag of its name, to see that a test finds it. Without one all
// of this is compiled away.
const (
	mutantSkipEmpty    = mutant == "skip_empty"    // any newer line stands for a snapshot
	mutantSkipLate     = mutant == "skip_late"     // a snapshot after the grace period stands for one within it
	mutantReplaceEnded = mutant == "replace_ended" // of a task that has ended, too, a snapshot replaces one in the same piece
	mutantCloseEarly   = mutant == "close_early"   // Close does not wait for the lines that wait
)
