//go:build unix && !linux

package process

import (
	"syscall"

	"golang.org/x/sys/unix"
)

const lastSignal = 31

// unpassable are the signals that cannot be caught, that the Go runtime keeps
// for itself (PROF, URG), and those the kernel raises for what we do ourselves
// (CHLD, PIPE).
var unpassable = map[syscall.Signal]bool{
	syscall.SIGKILL: true, syscall.SIGSTOP: true,
	syscall.SIGPROF: true, syscall.SIGURG: true,
	syscall.SIGCHLD: true, syscall.SIGPIPE: true,
}

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TIOCGETA)
	return err == nil
}
