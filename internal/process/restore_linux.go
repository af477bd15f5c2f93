package process

import (
	"syscall"

	"cbc-otel/internal/process/inherit"
)

// restoreSignals gives the ignored set and the calling thread's mask back
// their state from our start. Handlers go by themselves at an exec.
func restoreSignals() {
	if !inherit.Known() {
		return
	}
	for sig := syscall.Signal(1); sig <= lastSignal; sig++ {
		if inherit.Ignored(sig) {
			setAction(sig, sigaction{handler: sigIgnore})
		}
	}
	setMask(inherit.Blocked())
}
