package exporter

// Deliberate faults, each behind a build tag of its name, to see that a test finds it. Without one all of this is
// compiled away.
const (
	mutantUploadError    = mutant == "upload_error"    // trust the error of the SDK's HTTP client
	mutantShutdownResult = mutant == "shutdown_result" // trust the result of the SDK's Shutdown
	mutantQueueDrop      = mutant == "queue_drop"      // a queue with a bound
)
