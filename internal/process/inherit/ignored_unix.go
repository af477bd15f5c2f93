//go:build unix

package inherit

import (
	"os/signal"
	"syscall"
)

// ignoredNow is the answer without a hook. The runtime respects an inherited
// SIG_IGN for HUP and INT alone (os/signal, "Default behavior of signals"). A
// shell without job control ignores INT and QUIT together for its background
// jobs (POSIX, Shell Command Language 2.11), so QUIT follows INT.
func ignoredNow(sig syscall.Signal) bool {
	switch sig {
	case syscall.SIGHUP, syscall.SIGINT:
		return signal.Ignored(sig)
	case syscall.SIGQUIT:
		return signal.Ignored(syscall.SIGINT)
	}
	return false
}
