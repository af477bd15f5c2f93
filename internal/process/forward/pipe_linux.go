package forward

import "golang.org/x/sys/unix"

const ioctlPending = unix.TIOCINQ // FIONREAD

// Pipe returns a pipe for a child's output: in is ours and non-blocking, out
// is the child's. Both are closed on exec.
func Pipe() (in, out int, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, err
	}
	// Each end has flags of its own. Neither call can do worse than leave a
	// smaller pipe: users have a limit on pipe memory.
	_ = unix.SetNonblock(fds[0], true)
	_, _ = unix.FcntlInt(uintptr(fds[1]), unix.F_SETPIPE_SZ, PipeSize)
	return fds[0], fds[1], nil
}

// watched reports whether an error or hang-up poll(2) tells of our output
// means that no write to it can ever succeed again. So it is with pipes,
// sockets and terminals; a named pipe may find another reader.
func (p *Pump) watched() bool {
	var out, in unix.Stat_t
	if unix.Fstat(p.Out, &out) != nil || unix.Fstat(p.In, &in) != nil {
		return false
	}
	switch out.Mode & unix.S_IFMT {
	case unix.S_IFSOCK:
		return true
	case unix.S_IFIFO:
		return out.Dev == in.Dev // the kernel's own file system for pipes without a name
	case unix.S_IFCHR:
		_, err := unix.IoctlGetTermios(p.Out, unix.TCGETS)
		return err == nil
	}
	return false
}
