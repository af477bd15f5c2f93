//go:build unix

package process

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// SignalName is the name of a signal as the manuals have it: SIGTERM.
func SignalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return s.String() // a real-time signal
}
