package exporter

// Deliberate faults, each behind a build tag of its name, to see that a test finds it. Without one all of this is
// compiled away.
const (
	mutantShutdownResult = mutant == "shutdown_result" // trust the result of the SDK's Shutdown
	mutantQueueDrop      = mutant == "queue_drop"      // a queue with a bound
	mutantPartialIgnored = mutant == "partial_ignored" // a partial success is a success
	mutantRetryAll       = mutant == "retry_all"       // every failure is tried again
	mutantSpoolNoLock    = mutant == "spool_no_lock"   // the spool is sent by everybody at once
)
