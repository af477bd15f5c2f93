//go:build unix

package forward

import (
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Pump forwards In to Out.
type Pump struct {
	In  int // our end of the child's pipe, non-blocking
	Out int // inherited: blocking or not, we take it as it is

	// Exited becomes readable when the child has exited; forwarding then ends
	// by Silence or Limit at the latest. -1: forward to the end of the output.
	Exited int

	// Onlooker, if not nil, gets each piece after it was written, with the
	// time it was read. The slice is reused.
	Onlooker func(p []byte, at time.Time)

	drain   drain
	written atomic.Int64
}

// Written is how many bytes were forwarded so far. It may be asked for by any goroutine.
func (p *Pump) Written() int64 { return p.written.Load() }

// Run forwards until the end of the output, until nobody reads it any more,
// or until the drain is over. It closes nothing.
func (p *Pump) Run() Result {
	var r Result
	buf := make([]byte, BufferSize)
	watch := p.watched()
	for {
		n, err := unix.Read(p.In, buf)
		now := time.Now()
		switch {
		case n > 0:
			written, err := p.write(buf[:n])
			r.Bytes += int64(written)
			if p.Onlooker != nil && written > 0 {
				p.Onlooker(buf[:written], now)
			}
			if err != nil {
				return p.failed(r, err)
			}
			p.drain.forwarded(n)
		case err == unix.EINTR:
			continue
		case err != unix.EAGAIN:
			// 0 is the end of the output; an error on our own pipe is no
			// less.
			r.At = now
			return r
		}
		switch p.wait(watch) {
		case outputGone:
			r.Gone, r.At = true, time.Now()
			return r
		case drained:
			r.Cut, r.At = true, time.Now()
			return r
		}
	}
}

func (p *Pump) failed(r Result, err error) Result {
	r.At = time.Now()
	switch {
	case errors.Is(err, errDrained):
		r.Cut = true
	case errors.Is(err, unix.EPIPE), errors.Is(err, unix.EIO), errors.Is(err, unix.ECONNRESET),
		errors.Is(err, unix.ENOTCONN), errors.Is(err, unix.ESHUTDOWN):
		// EIO is a terminal that hung up.
		r.Gone = true
	default:
		r.Err = err
	}
	return r
}

type event int

const (
	inputReady event = iota
	outputGone
	drained
)

// wait blocks until there is input, until the reader of our output is gone,
// or until the drain is over.
func (p *Pump) wait(watch bool) event {
	fds := [3]unix.PollFd{
		{Fd: int32(p.In), Events: unix.POLLIN},
		{Fd: -1},
		{Fd: -1, Events: unix.POLLIN},
	}
	if watch {
		fds[1].Fd = int32(p.Out) // no events: errors and hang-ups are always told
	}
	for {
		if !p.drain.on {
			fds[2].Fd = int32(p.Exited)
		} else {
			fds[2].Fd = -1
		}
		timeout := p.drain.timeout()
		n, err := unix.Poll(fds[:], timeout)
		if err != nil {
			continue // EINTR; nothing else can happen to these arguments
		}
		switch {
		case fds[1].Revents != 0:
			return outputGone
		case fds[2].Revents != 0:
			p.drain.start(p.In)
		case p.drain.over(n == 0):
			return drained
		}
		if fds[0].Revents != 0 {
			return inputReady
		}
	}
}
