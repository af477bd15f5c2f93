//go:build linux

package transparency

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// signalCases send signals to what was started while it is not in the
// foreground of a terminal: in a session of its own, as CI runners and SDKs
// start it.
func signalCases() []aCase {
	received := func(send func(r *run, sig syscall.Signal)) func(*scene) outcome {
		return func(s *scene) outcome {
			r := s.start(stage{}, agent("catch", "cue", "say:end")...)
			r.says("catching")
			for sig := syscall.Signal(1); sig <= 64; sig++ {
				if catchable(sig) {
					send(r, sig)
					r.says(fmt.Sprintf("got %d", sig))
				}
			}
			r.goOn()
			return r.end()
		}
	}
	survives := func(given string, sig syscall.Signal) func(*scene) outcome {
		return func(s *scene) outcome {
			r := s.start(stage{given: given}, sh(`echo ready >&3; read x <&4; echo alive`)...)
			r.says("ready")
			r.kill(sig)
			r.goOn()
			return r.end()
		}
	}
	return []aCase{
		{name: "every signal, once", status: "exit 0", play: received((*run).kill)},
		{name: "every signal to the group, once", status: "exit 0", play: received((*run).killGroup)},
		{name: "the same signal again and again", status: "exit 0", play: func(s *scene) outcome {
			r := s.start(stage{}, agent("catch", "cue")...)
			r.says("catching")
			for n := 1; n <= 20; n++ {
				r.kill(syscall.SIGUSR1)
				r.says(strings.TrimSuffix(strings.Repeat("got 10\n", n), "\n"))
			}
			r.goOn()
			return r.end()
		}},
		{name: "HUP to a nohup", status: "exit 0", shows: []string{"alive"}, play: survives("-HUP", syscall.SIGHUP)},
		{name: "INT to a background job of a script", status: "exit 0", shows: []string{"alive"}, play: survives("-INT,-QUIT", syscall.SIGINT)},
		{name: "QUIT to a background job of a script", status: "exit 0", shows: []string{"alive"}, play: survives("-INT,-QUIT", syscall.SIGQUIT)},
		{name: "TERM where it is ignored", status: "exit 0", shows: []string{"alive"}, play: survives("-TERM", syscall.SIGTERM)},
		{name: "USR1 where it is blocked", status: "exit 0", shows: []string{"alive"}, play: survives("+USR1", syscall.SIGUSR1)},
		{name: "WINCH, which is nothing by default", status: "exit 0", shows: []string{"alive"}, play: survives("", syscall.SIGWINCH)},
		{name: "the nohup program", status: "exit 0", shows: []string{"alive"}, play: func(s *scene) outcome {
			r := s.start(stage{before: []string{"/usr/bin/nohup"}}, sh(`echo ready >&3; read x <&4; echo alive`)...)
			r.says("ready")
			r.kill(syscall.SIGHUP)
			r.goOn()
			return r.end()
		}},
		{name: "the timeout program", status: "exit 124", play: func(s *scene) outcome {
			return s.start(stage{before: []string{"/usr/bin/timeout", "0.3"}}, sh(`exec sleep 1000`)...).end()
		}},
		{name: "the timeout program by KILL", status: "signal SIGKILL", play: func(s *scene) outcome {
			// timeout itself dies as its child has.
			st := stage{before: []string{"/usr/bin/timeout", "-s", "KILL", "0.3"}}
			return s.start(st, sh(`exec sleep 1000`)...).end()
		}},
		{name: "KILL to the group", status: "signal SIGKILL", shows: []string{"the holder is then gone"}, play: func(s *scene) outcome {
			r := s.start(stage{}, sh(`sleep 1000 >/dev/null 2>&1 3>&- 4>&- & echo "holder $!" >&3; echo ready >&3; read x <&4`)...)
			r.says("ready")
			pid := r.pidOf("holder")
			r.killGroup(syscall.SIGKILL)
			o := r.end()
			if s.wrapped {
				o.Facts = []string{"the holder is then " + stateOf(pid)}
				_ = syscall.Kill(pid, syscall.SIGKILL)
			} else {
				eventually(s.t, "gone", func() bool { return stateOf(pid) == "gone" })
				o.Facts = []string{"the holder is then gone"}
			}
			return o
		}, differs: func(t *testing.T, bare, wrapped *outcome) {
			// It is in the command's process group, which is another.
			if slices.Contains(wrapped.Facts, "the holder is then gone") {
				t.Errorf("wrapped: %q", wrapped.Facts)
			}
			wrapped.Facts = bare.Facts
		}},
		{name: "sent SIGPIPE", status: "signal SIGPIPE", differs: func(t *testing.T, bare, wrapped *outcome) {
			// We cannot tell it from the one our own writing may raise.
			if wrapped.Status != "exit 0" {
				t.Errorf("wrapped: %s", wrapped.Status)
			}
			bare.Status, bare.Stdout = wrapped.Status, wrapped.Stdout
		}, play: survives("", syscall.SIGPIPE)},
	}
}

// stopCases stop and continue what was started. Its process group is in our
// session, as a job of a shell is in the shell's; in a session of its own it
// could not stop.
func stopCases() []aCase {
	job := stage{attr: &syscall.SysProcAttr{Setpgid: true}}
	stops := func(script string, send func(*run)) func(*scene) outcome {
		return func(s *scene) outcome {
			r := s.start(job, sh(script)...)
			r.says("ready")
			pid := r.pidOf("command")
			send(r)
			stopped := r.stop()
			state := stateOf(pid)
			r.kill(syscall.SIGCONT)
			r.goOn()
			return r.end(stopped, "the command is then "+state)
		}
	}
	const waits = `echo "command $$" >&3; echo ready >&3; read x <&4; echo back`
	nothing := func(*run) {}
	return []aCase{
		{name: "sent TSTP, stops", status: "exit 0", shows: []string{"stopped by SIGTSTP", "then T"},
			play: stops(waits, func(r *run) { r.kill(syscall.SIGTSTP) })},
		{name: "TSTP to the group, stops", status: "exit 0", shows: []string{"stopped by SIGTSTP", "then T"},
			play: stops(waits, func(r *run) { r.killGroup(syscall.SIGTSTP) })},
		{name: "sent TTIN, stops", status: "exit 0", shows: []string{"stopped by SIGTTIN", "then T"},
			play: stops(waits, func(r *run) { r.kill(syscall.SIGTTIN) })},
		{name: "sent STOP", status: "exit 0", shows: []string{"stopped by SIGSTOP", "then T"},
			play: stops(waits, func(r *run) { r.kill(syscall.SIGSTOP) }),
			differs: func(t *testing.T, bare, wrapped *outcome) {
				// It cannot be caught, so it cannot be passed on.
				if slices.Contains(wrapped.Facts, "the command is then T") {
					t.Errorf("wrapped: %q", wrapped.Facts)
				}
				wrapped.Facts = bare.Facts
			}},
		{name: "stops itself by STOP", status: "exit 0", shows: []string{"stopped by SIGSTOP"},
			play: stops(`echo "command $$" >&3; echo ready >&3; kill -STOP $$; read x <&4; echo back`, nothing)},
		{name: "stops itself by TSTP", status: "exit 0", shows: []string{"stopped by SIGTSTP"},
			play: stops(`echo "command $$" >&3; echo ready >&3; kill -TSTP $$; read x <&4; echo back`, nothing)},
		{name: "stops twice", status: "exit 0", play: func(s *scene) outcome {
			r := s.start(job, sh(`echo ready >&3; kill -TSTP $$; echo one >&3; kill -TSTP $$; echo two >&3`)...)
			r.says("ready")
			first := r.stop()
			r.kill(syscall.SIGCONT)
			r.says("one")
			second := r.stop()
			r.kill(syscall.SIGCONT)
			return r.end(first, second)
		}},
		{name: "TSTP that is caught does not stop", status: "exit 0", shows: []string{"got 20"}, play: func(s *scene) outcome {
			r := s.start(job, agent("catch", "cue")...)
			r.says("catching")
			r.kill(syscall.SIGTSTP)
			r.says("got 20")
			r.goOn()
			return r.end()
		}},
		{name: "TSTP in an orphaned process group", status: "exit 0", shows: []string{"alive"}, play: func(s *scene) outcome {
			r := s.start(stage{}, sh(`echo ready >&3; read x <&4; echo alive`)...)
			r.says("ready")
			r.kill(syscall.SIGTSTP)
			r.goOn()
			return r.end()
		}},
		{name: "killed while stopped", status: "signal SIGTERM", shows: []string{"stopped by SIGTSTP"}, play: func(s *scene) outcome {
			r := s.start(job, sh(waits)...)
			r.says("ready")
			r.kill(syscall.SIGTSTP)
			stopped := r.stop()
			r.kill(syscall.SIGTERM)
			r.kill(syscall.SIGCONT)
			return r.end(stopped)
		}},
	}
}

// stop waits until what was started has stopped, as a shell would.
func (r *run) stop() string {
	r.scene.t.Helper()
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(r.process.Pid, &status, syscall.WUNTRACED, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || !status.Stopped() {
			r.scene.t.Fatalf("ended (%s) instead of stopping: %v", describe(status), err)
		}
		return "stopped by " + unix.SignalName(status.StopSignal())
	}
}

// pidOf returns the process id the command has reported as "WHO PID".
func (r *run) pidOf(who string) int {
	r.scene.t.Helper()
	r.report.await(r.scene.t, who+" ")
	var pid int
	text := r.report.now()
	if _, err := fmt.Sscanf(text[strings.Index(text, who+" ")+len(who):], "%d", &pid); err != nil {
		r.scene.t.Fatal(err)
	}
	return pid
}
