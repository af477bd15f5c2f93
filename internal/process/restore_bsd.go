//go:build unix && !linux

package process

import (
	"os/signal"
	"syscall"

	"cbc-otel/internal/process/inherit"
)

// restoreSignals ignores again what was ignored at our start, so far as it is
// known. Handlers go by themselves at an exec.
func restoreSignals() {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if inherit.Ignored(sig) {
			signal.Ignore(sig)
		}
	}
}
