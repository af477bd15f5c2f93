//go:build unix

package process

import (
	"bytes"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// feeder passes our standard input on to the command, byte for byte, and can
// put a line of ours between two lines. Our input is read only when everything
// read before is written.
type feeder struct {
	from int    // our standard input
	to   int    // our end of the pipe, non-blocking
	wake [2]int // a byte: there is a request; closed: stop

	mu      sync.Mutex
	request []byte
	stopped bool

	sent chan struct{} // closed when the request is in the pipe
	done chan struct{} // closed when nothing more will be passed on
}

// newFeeder returns a feeder of from and the descriptor the command is to
// have as its standard input.
func newFeeder(from int) (f *feeder, stdin int, err error) {
	f = &feeder{from: from, sent: make(chan struct{}), done: make(chan struct{})}
	if err := cloexecPipe(&f.wake); err != nil {
		return nil, -1, err
	}
	var pipe [2]int
	if err := cloexecPipe(&pipe); err != nil {
		unix.Close(f.wake[0])
		unix.Close(f.wake[1])
		return nil, -1, err
	}
	_ = unix.SetNonblock(pipe[1], true)
	f.to = pipe[1]
	return f, pipe[0], nil
}

// ask has the line put into the command's input at the next line boundary. It
// is called at most once.
func (f *feeder) ask(line []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.request = line
	if !f.stopped {
		_, _ = unix.Write(f.wake[1], []byte{0}) // it may have ended; then nobody asks
	}
}

func (f *feeder) stop() {
	f.mu.Lock()
	f.stopped = true
	unix.Close(f.wake[1])
	f.mu.Unlock()
	<-f.done
}

// run passes the input on until it ends, the command closes its end, or stop.
func (f *feeder) run() {
	defer close(f.done)
	defer unix.Close(f.wake[0])
	defer unix.Close(f.to)
	buf := make([]byte, 64<<10)
	var pending []byte
	var midLine, ended, asked bool
	left := -1 // bytes to be written until the request is through; -1: none is on its way
	for {
		if request := f.takeRequest(asked); request != nil {
			if at, ok := boundary(pending, midLine); ok {
				pending = slices.Concat(pending[:at], request, pending[at:])
				asked, left = true, at+len(request)
			}
		}
		if ended && len(pending) == 0 {
			return // a request that found no line boundary finds none any more
		}
		fds := []unix.PollFd{
			{Fd: int32(f.wake[0]), Events: unix.POLLIN},
			{Fd: int32(f.to)},
			{Fd: -1, Events: unix.POLLIN},
		}
		if len(pending) > 0 {
			fds[1].Events = unix.POLLOUT
		} else {
			fds[2].Fd = int32(f.from)
		}
		if _, err := unix.Poll(fds, -1); err != nil {
			continue // EINTR
		}
		if fds[0].Revents != 0 {
			if n, _ := unix.Read(f.wake[0], make([]byte, 1)); n == 0 {
				return
			}
		}
		switch {
		case len(pending) > 0 && fds[1].Revents != 0:
			n, err := unix.Write(f.to, pending)
			if err != nil && err != unix.EAGAIN && err != unix.EINTR {
				return // the command has closed its standard input
			}
			if n > 0 {
				midLine = pending[n-1] != '\n'
				pending = pending[n:]
				if left -= n; asked && left <= 0 && left+n > 0 {
					close(f.sent)
				}
			}
		case fds[1].Revents != 0:
			return
		case fds[2].Revents != 0:
			n, err := unix.Read(f.from, buf)
			switch {
			case n > 0:
				pending = buf[:n]
			case err == unix.EAGAIN || err == unix.EINTR:
			default:
				ended = true
			}
		}
	}
}

func (f *feeder) takeRequest(asked bool) []byte {
	if asked {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.request
}

// boundary is where in pending a line can be put in: between two lines. If
// none of pending's bytes end the line that is under way there is none yet.
func boundary(pending []byte, midLine bool) (at int, ok bool) {
	if !midLine {
		return 0, true
	}
	at = bytes.IndexByte(pending, '\n') + 1
	return at, at > 0
}
