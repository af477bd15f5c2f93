//go:build unix

package say

import (
	"errors"
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// stallLimit is how long a line waits, in milliseconds, for a reader that does not read a non-blocking stderr.
const stallLimit = 1000

// Stderr returns a writer on descriptor 2. Unlike os.Stderr it does not end the program when the reader is
// gone (os turns EPIPE on descriptors 1 and 2 into death by SIGPIPE), and it leaves the descriptor's flags
// alone, which others share.
func Stderr() io.Writer { return descriptor(2) }

type descriptor int

func (d descriptor) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		n, err := syscall.Write(int(d), p[written:])
		if n > 0 {
			written += n
		}
		switch {
		case err == nil, errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EAGAIN):
			ready, err := unix.Poll([]unix.PollFd{{Fd: int32(d), Events: unix.POLLOUT}}, stallLimit)
			if ready == 0 || err != nil && !errors.Is(err, syscall.EINTR) {
				return written, syscall.EAGAIN
			}
		default:
			return written, err
		}
	}
	return written, nil
}

// Ready reports whether a write of at most [MaxLine] bytes goes through at once. (A pipe is ready when so much fits:
// PIPE_BUF.)
func (d descriptor) Ready() bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(d), Events: unix.POLLOUT}}, 0)
	return err == nil && n == 1
}
