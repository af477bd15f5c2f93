package process

import (
	"syscall"

	"golang.org/x/sys/unix"

	"cbc-otel/internal/process/inherit"
)

// restoreSignals gives the ignored set, and the calling thread's mask and death
// signal, back their state from our start. Handlers go by themselves at an
// exec.
func restoreSignals() {
	if !inherit.Known() {
		return
	}
	for sig := syscall.Signal(1); sig <= lastSignal; sig++ {
		if inherit.Ignored(sig) {
			setAction(sig, sigaction{handler: sigIgnore})
		}
	}
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(inherit.DeathSignal()), 0, 0, 0)
	setMask(inherit.Blocked())
}
