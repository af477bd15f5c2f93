//go:build unix

package say

import (
	"errors"
	"io"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stallLimit is how long, in milliseconds, a write waits for a reader that does not read; once one has waited in vain,
// the next ones do not wait until it reads again.
const stallLimit = 1000

// Stderr returns a writer on descriptor 2. Unlike os.Stderr it does not end the program when the reader is
// gone (os turns EPIPE on descriptors 1 and 2 into death by SIGPIPE), does not wait for ever for a reader that does
// not read, and leaves the descriptor's flags alone, which others share.
func Stderr() io.Writer { return &descriptor{fd: 2} }

type descriptor struct {
	fd      int
	stalled atomic.Bool
}

func (d *descriptor) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		limit := stallLimit
		if d.stalled.Load() {
			limit = 0
		}
		ready := d.poll(limit)
		d.stalled.Store(!ready)
		if !ready {
			return written, ErrStalled
		}
		// So much fits into a pipe that is ready; more would wait in the write.
		n, err := syscall.Write(d.fd, p[written:min(len(p), written+MaxLine)])
		if n > 0 {
			written += n
		}
		if err != nil && !errors.Is(err, syscall.EINTR) && !errors.Is(err, syscall.EAGAIN) {
			return written, err
		}
	}
	return written, nil
}

// Ready reports whether a write of at most [MaxLine] bytes goes through at once. (A pipe is ready when so much fits:
// PIPE_BUF.)
func (d *descriptor) Ready() bool { return d.poll(0) }

// poll waits, for so many milliseconds, until a write would go through or fail at once.
func (d *descriptor) poll(limit int) bool {
	until := time.Now().Add(time.Duration(limit) * time.Millisecond)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(d.fd), Events: unix.POLLOUT}}, limit)
		if !errors.Is(err, syscall.EINTR) {
			return n > 0 || err != nil
		}
		limit = max(int(time.Until(until).Milliseconds()), 0)
	}
}
