package forward

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// canTee reports whether our output is a pipe too. Then the kernel passes the
// child's own pages on, and the bytes are copied once, for the onlooker.
func (p *Pump) canTee() bool {
	var out unix.Stat_t
	return unix.Fstat(p.Out, &out) == nil && out.Mode&unix.S_IFMT == unix.S_IFIFO
}

// tee is move by tee(2), which unlike a write never blocks, whatever the flags
// of our output.
func (p *Pump) tee(buf []byte) (m moved) {
	n, err := rawTee(p.In, p.Out, len(buf))
	m.at = time.Now()
	switch {
	case n > 0:
		for m.read < n && m.readErr == nil {
			var got int
			if got, m.readErr = rawRead(p.In, buf[m.read:n]); m.readErr == unix.EINTR {
				m.readErr = nil
			}
			m.read += got
		}
		m.written = m.read
	case err == nil:
		// The end of the output.
	case err == unix.EPIPE:
		m.writeErr = err
	case err == unix.EAGAIN:
		m.readErr = err
		if pending, _ := unix.IoctlGetInt(p.In, ioctlPending); pending > 0 {
			p.ready(time.Time{}) // our output is full
		}
	case err == unix.EINTR:
		m.readErr = err
	default:
		// A file system's own kind of pipe, or a filter for system calls.
		p.teeing = false
		m.readErr = unix.EINTR
	}
	return m
}

// Neither call blocks, so the scheduler need not hear of them, which costs more
// than they do.

func rawTee(in, out, n int) (int, error) {
	r, _, errno := unix.RawSyscall6(unix.SYS_TEE, uintptr(in), uintptr(out), uintptr(n), unix.SPLICE_F_NONBLOCK, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(r), nil
}

func rawRead(fd int, buf []byte) (int, error) {
	r, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	if errno != 0 {
		return 0, errno
	}
	return int(r), nil
}
