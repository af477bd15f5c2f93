//go:build unix

package process

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// windDown takes the first INT or TERM and asks the command to end before it
// gets it.
type windDown struct {
	interrupt *Interrupt
	feeder    *feeder
	child     *child

	asked  bool
	second chan struct{} // closed by another INT or TERM
}

// take reports whether the signal is dealt with, now or in the course of time.
// It is called by one goroutine.
func (w *windDown) take(sig syscall.Signal) bool {
	if w == nil || w.interrupt == nil || sig != syscall.SIGINT && sig != syscall.SIGTERM {
		return false
	}
	if w.asked {
		select {
		case <-w.second:
		default:
			close(w.second)
		}
		return false
	}
	w.asked = true
	w.feeder.ask(interruptRequest(w.interrupt.Session(), "signal "+unix.SignalName(sig)))
	go w.wait(sig)
	return true
}

func (w *windDown) wait(sig syscall.Signal) {
	timer := time.NewTimer(w.interrupt.Grace)
	defer timer.Stop()
	select {
	case <-w.feeder.sent:
	case <-w.feeder.done:
		select {
		case <-w.feeder.sent: // then its input ended: it may still wind down
		default:
			w.child.signal(sig)
			return
		}
	case <-timer.C:
		w.child.signal(sig)
		return
	case <-w.second:
		return
	}
	select {
	case <-w.child.exited:
	case <-timer.C:
		w.child.signal(sig)
	case <-w.second:
	}
}
