package process

// Deliberate faults, each behind a build tag of its name, to see that a case
// of test/transparency finds it. Without one all of this is compiled away.
const (
	mutantForwardTwice  = mutant == "forward_twice"
	mutantExit1OnSignal = mutant == "exit1_on_signal"
	mutantCopyStdin     = mutant == "copy_stdin"
	mutantSkipDrain     = mutant == "skip_drain"
	mutantSwallowEPIPE  = mutant == "swallow_epipe"
)
