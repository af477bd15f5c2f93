//go:build unix

package process

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"cbc-otel/internal/process/inherit"
)

// signals are those that reach us.
type signals struct {
	// shared: the command is in our process group, the foreground group of
	// our terminal, and gets from the kernel what the terminal gives.
	shared bool

	caught chan os.Signal
	after  chan os.Signal // those that ask to end and arrive when the command is gone

	last    atomic.Int32  // of those that ask to end, before that
	hurry   chan struct{} // closed by the first of after
	hurried bool
}

// asksToEnd are the signals that make us hurry when the command is gone; the others were meant for it.
var asksToEnd = map[syscall.Signal]bool{
	syscall.SIGHUP: true, syscall.SIGINT: true, syscall.SIGQUIT: true, syscall.SIGTERM: true,
}

// byTerminal are the signals a terminal, or the shell at it, sends to a whole
// process group.
var byTerminal = map[syscall.Signal]bool{
	syscall.SIGHUP: true, syscall.SIGINT: true, syscall.SIGQUIT: true,
	syscall.SIGTSTP: true, syscall.SIGTTIN: true, syscall.SIGTTOU: true,
	syscall.SIGCONT: true, syscall.SIGWINCH: true,
}

// catch begins to catch the signals that are to be passed on, and those that
// must not end us before the command has ended. Signals that were ignored at
// our start stay so, here and in the command.
func catch(shared bool) *signals {
	s := &signals{shared: shared, caught: make(chan os.Signal, 256), after: make(chan os.Signal, 16), hurry: make(chan struct{})}
	var list []os.Signal
	for sig := syscall.Signal(1); sig <= lastSignal; sig++ {
		switch {
		case unpassable[sig]:
		case inherit.Ignored(sig):
			signal.Ignore(sig)
		case shared && byTerminal[sig] && sig != syscall.SIGHUP && sig != syscall.SIGINT && sig != syscall.SIGQUIT:
			// Stops and goes on with the command.
		case sig == syscall.SIGTTOU && (isTerminal(1) || isTerminal(2)):
			// A caught one would make every write of ours to that terminal
			// start over for ever.
		default:
			list = append(list, sig)
		}
	}
	signal.Notify(s.caught, list...)

	// A broken pipe is an error to us, not our end. (Caught, unlike ignored,
	// is not inherited.)
	if inherit.Ignored(syscall.SIGPIPE) {
		signal.Ignore(syscall.SIGPIPE)
	} else {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	}
	return s
}

// passOn hands every signal to the command, once; what the kernel has given
// it already is not passed on.
func (s *signals) passOn(c *child, w *windDown) {
	for sig := range s.caught {
		n := sig.(syscall.Signal)
		select {
		case <-c.exited:
			if !asksToEnd[n] {
				continue
			}
			if !s.hurried {
				s.hurried = true
				close(s.hurry)
			}
			select {
			case s.after <- sig:
			default:
			}
			continue
		default:
		}
		if asksToEnd[n] {
			s.last.Store(int32(n))
		}
		if s.shared && byTerminal[n] || w.take(n) {
			continue
		}
		if n == syscall.SIGCONT {
			c.handTerminal()
		}
		c.signal(n)
	}
}
