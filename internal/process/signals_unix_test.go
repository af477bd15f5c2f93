//go:build unix

package process

import (
	"os"
	"syscall"
	"testing"
)

// When the command is gone, signals that were meant for it do not cut the flush short.
func TestSignalsAfterTheEnd(t *testing.T) {
	t.Parallel()
	s := &signals{caught: make(chan os.Signal, 8), after: make(chan os.Signal, 8), hurry: make(chan struct{})}
	for _, sig := range []os.Signal{syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGUSR1, syscall.SIGTERM, syscall.SIGHUP} {
		s.caught <- sig
	}
	close(s.caught)
	c := &child{exited: make(chan struct{})}
	close(c.exited)
	s.passOn(c, nil)
	close(s.after)
	select {
	case <-s.hurry:
	default:
		t.Error("nobody hurries")
	}
	var got []os.Signal
	for sig := range s.after {
		got = append(got, sig)
	}
	if len(got) != 2 || got[0] != syscall.SIGTERM || got[1] != syscall.SIGHUP {
		t.Errorf("asked to hurry by %v", got)
	}
}
