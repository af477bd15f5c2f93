//go:build unix

package forward

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// errDrained ends the writing of bytes that are not the child's own when the
// drain is over and the reader has stopped reading.
var errDrained = errors.New("drain is over")

// atOnce is what a pipe that is ready takes without blocking (PIPE_BUF).
const atOnce = 4096

// write writes all of b, however small the pieces the output takes, and
// returns how much of it was.
func (p *Pump) write(b []byte) (written int, err error) {
	bounded := p.drain.on && p.drain.owed <= 0
	for written < len(b) {
		piece := b[written:]
		if p.drain.on {
			limit := time.Time{}
			if bounded {
				limit = p.drain.limit
			}
			if !p.ready(limit) {
				return written, errDrained
			}
			piece = piece[:min(len(piece), atOnce)] // what was written is told soon
		}
		n, err := unix.Write(p.Out, piece)
		if n > 0 {
			written += n
			p.written.Add(int64(n))
		}
		switch {
		case err == nil, err == unix.EINTR:
		case err == unix.EAGAIN:
			// Whoever shares the descriptor made it non-blocking, and it is
			// not ours to change.
			p.ready(time.Time{})
		default:
			return written, err
		}
	}
	return written, nil
}

// ready waits until the output takes more, or has an error to tell, and
// reports false if that is not before the limit. A zero limit is none.
func (p *Pump) ready(limit time.Time) bool {
	fds := []unix.PollFd{{Fd: int32(p.Out), Events: unix.POLLOUT}}
	for {
		timeout := -1
		if !limit.IsZero() {
			timeout = max(0, int((time.Until(limit)+time.Millisecond-1)/time.Millisecond))
		}
		n, err := unix.Poll(fds, timeout)
		if err != nil {
			continue
		}
		if n > 0 {
			return true
		}
		if !limit.IsZero() && !time.Now().Before(limit) {
			return false
		}
	}
}
