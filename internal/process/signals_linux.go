package process

import (
	"syscall"

	"golang.org/x/sys/unix"
)

const lastSignal = 64

// unpassable are the signals that cannot be caught, that the Go runtime keeps
// for itself (PROF, URG, and 32 to 34, which it shares with libc), and those
// the kernel raises for what we do ourselves (CHLD, PIPE).
var unpassable = map[syscall.Signal]bool{
	syscall.SIGKILL: true, syscall.SIGSTOP: true,
	syscall.SIGPROF: true, syscall.SIGURG: true, 32: true, 33: true, 34: true,
	syscall.SIGCHLD: true, syscall.SIGPIPE: true,
}

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}
