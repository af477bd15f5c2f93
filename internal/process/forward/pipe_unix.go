//go:build unix && !linux

package forward

import (
	"syscall"

	"golang.org/x/sys/unix"
)

const ioctlPending = 0x4004667f // FIONREAD, the same on all of 4.4BSD's heirs

// Pipe returns a pipe for a child's output: in is ours and non-blocking, out
// is the child's. Both are closed on exec.
func Pipe() (in, out int, err error) {
	var fds [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := unix.Pipe(fds[:]); err != nil {
		return -1, -1, err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	_ = unix.SetNonblock(fds[0], true)
	return fds[0], fds[1], nil
}

// watched: an idle writer is not told here that its reader is gone.
func (p *Pump) watched() bool { return false }
