//go:build linux

package transparency

import (
	"fmt"
	"sort"
	"strings"
	"syscall"
	"testing"
)

// terminalCases play on a terminal. With asStream among the arguments the
// wrapper stays and reads the output.
func terminalCases() []aCase {
	// key presses a key that the terminal makes a signal of.
	key := func(key string, sig syscall.Signal, args ...string) func(*scene) outcome {
		return func(s *scene) outcome {
			r := s.startTerminal("fg", stage{}, agent(append(args, "catch", "cue", "say:end")...)...)
			r.says("catching")
			r.press(key)
			r.says(fmt.Sprintf("got %d", sig))
			r.goOn()
			return r.end()
		}
	}
	deadly := func(key string, args ...string) func(*scene) outcome {
		return func(s *scene) outcome {
			args := append([]string{"/bin/sh", "-c", `echo ready >&3; read x <&4; echo never`, "sh"}, args...)
			r := s.startTerminal("fg", stage{}, args...)
			r.says("ready")
			r.press(key)
			return r.end()
		}
	}
	direct := func(mode string, send func(pid int) error, sig syscall.Signal) func(*scene) outcome {
		return func(s *scene) outcome {
			r := s.startTerminal(mode, stage{}, agent(asStream, "catch", "cue", "say:end")...)
			r.says("catching")
			if err := send(r.pidOf("job")); err != nil {
				s.t.Error(err)
			}
			r.says(fmt.Sprintf("got %d", sig))
			r.goOn()
			return r.end()
		}
	}
	to := func(sig syscall.Signal) func(int) error {
		return func(pid int) error { return syscall.Kill(pid, sig) }
	}
	toGroup := func(sig syscall.Signal) func(int) error {
		return func(pid int) error { return syscall.Kill(-pid, sig) }
	}
	stopAndGoOn := func(args ...string) func(*scene) outcome {
		return func(s *scene) outcome {
			args := append([]string{"/bin/sh", "-c", `echo ready >&3; read x <&4; echo back; read y; echo "$y"`, "sh"}, args...)
			r := s.startTerminal("fg", stage{}, args...)
			r.says("ready")
			r.press("\x1a")
			r.says("stopped SIGTSTP")
			r.goOn() // the shell's fg
			r.goOn() // the job's own
			r.screen.await(s.t, "back")
			r.press("typed\n")
			return r.end()
		}
	}
	cases := []aCase{
		{name: "terminal, Ctrl-C", status: "exit 0", shows: []string{"got 2\n"}, play: key("\x03", syscall.SIGINT, asStream)},
		{name: "terminal, Ctrl-backslash", status: "exit 0", shows: []string{"got 3\n"}, play: key("\x1c", syscall.SIGQUIT, asStream)},
		{name: "terminal, Ctrl-C, dies", status: "exit 0", shows: []string{"ended signal SIGINT"}, play: deadly("\x03", asStream)},
		{name: "terminal, Ctrl-backslash, dies", status: "exit 0", shows: []string{"ended signal SIGQUIT"}, play: deadly("\x1c", asStream)},
		{name: "terminal, Ctrl-Z and fg", status: "exit 0", shows: []string{"stopped SIGTSTP", "typed"}, play: stopAndGoOn(asStream)},
		{name: "terminal, Ctrl-C is ignored", status: "exit 0", shows: []string{"ended exit 0"}, play: func(s *scene) outcome {
			r := s.startTerminal("fg", stage{}, agent(asStream, "ignore:SIGINT", "say:ready", "cue", `out:alive\n`)...)
			r.says("ready")
			r.press("\x03")
			r.screen.await(s.t, "^C")
			r.goOn()
			return r.end()
		}},
		{name: "terminal, window size", status: "exit 0", shows: []string{"got 28", "size 100x40", "size 90x30"}, play: func(s *scene) outcome {
			r := s.startTerminal("fg", stage{}, agent(asStream, "size", "catch", "cue", "size")...)
			r.says("catching")
			setSize(s.t, r.keys, 90, 30)
			r.says("got 28")
			r.goOn()
			return r.end()
		}},
		{name: "terminal, TERM to the job alone", status: "exit 0", play: direct("fg", to(syscall.SIGTERM), syscall.SIGTERM)},
		{name: "terminal, USR1 to the job alone", status: "exit 0", play: direct("fg", to(syscall.SIGUSR1), syscall.SIGUSR1)},
		{name: "terminal, ALRM to the job alone", status: "exit 0", play: direct("fg", to(syscall.SIGALRM), syscall.SIGALRM)},
		{name: "terminal, HUP to the group", status: "exit 0", play: direct("fg", toGroup(syscall.SIGHUP), syscall.SIGHUP)},
		{name: "terminal, INT to the group", status: "exit 0", play: direct("fg", toGroup(syscall.SIGINT), syscall.SIGINT)},
		{name: "terminal, background, TERM to the group", status: "exit 0", play: direct("bg", toGroup(syscall.SIGTERM), syscall.SIGTERM)},
		{name: "terminal, background, INT to the group", status: "exit 0", play: direct("bg", toGroup(syscall.SIGINT), syscall.SIGINT)},
		{name: "terminal, background, HUP to the job alone", status: "exit 0", play: direct("bg", to(syscall.SIGHUP), syscall.SIGHUP)},
		{name: "terminal, background, brought to the foreground", status: "exit 0", shows: []string{"stopped SIGTTIN", "typed", "ended signal SIGINT"},
			play: func(s *scene) outcome {
				args := []string{"/bin/sh", "-c", `read y; echo "$y"; echo asks >&3; read z`, "sh", asStream}
				r := s.startTerminal("bg", stage{}, args...)
				r.says("stopped SIGTTIN")
				r.goOn()
				r.press("typed\n")
				r.says("asks")
				r.screen.await(s.t, "typed\r\ntyped\r\n") // the terminal's echo, and the command's
				r.press("\x03")
				return r.end()
			}},
		{name: "terminal, hang-up", status: "signal SIGHUP", shows: []string{"got 1\n"}, play: func(s *scene) outcome {
			_, writer := s.pipe()
			r := s.startTerminal("fg", stage{stdout: writer}, agent("catch", "cue", "say:end")...)
			writer.Close()
			r.says("catching")
			status := hangUp(r)
			r.says("got 1")
			r.says("got 18")
			r.goOn()
			o := outcome{Status: status}
			for line := range strings.Lines(processIDs.ReplaceAllString(r.report.all(s.t), "")) {
				o.Facts = append(o.Facts, line)
			}
			sort.Strings(o.Facts) // both signals are there at the same time
			return o
		}},
		{name: "terminal, what the command sees", status: "exit 0", shows: []string{"tty true true true"},
			differs: func(t *testing.T, bare, wrapped *outcome) {
				const piped = "tty true false true"
				if !strings.Contains(wrapped.Report, piped) {
					t.Errorf("wrapped: %q", wrapped.Report)
				}
				wrapped.Report = strings.Replace(wrapped.Report, piped, "tty true true true", 1)
			},
			play: func(s *scene) outcome {
				return s.startTerminal("fg", stage{}, agent(asStream, "tty", "size", `out:a\nb`)...).end()
			}},
		{name: "terminal, INT to the job alone", status: "exit 0", shows: []string{"got 2"},
			// It looks the same to us as a Ctrl-C the command has had already.
			differs: func(t *testing.T, bare, wrapped *outcome) {
				if strings.Contains(wrapped.Report, "got 2") {
					t.Errorf("wrapped: %q", wrapped.Report)
				}
				bare.Report = strings.Replace(bare.Report, "got 2\n", "", 1)
			},
			play: func(s *scene) outcome {
				r := s.startTerminal("fg", stage{}, agent(asStream, "catch", "cue", "say:end")...)
				r.says("catching")
				if err := syscall.Kill(r.pidOf("job"), syscall.SIGINT); err != nil {
					s.t.Error(err)
				}
				if !s.wrapped {
					r.says("got 2")
				}
				r.goOn()
				return r.end()
			}},
		{name: "terminal, TERM to the group", status: "exit 0", shows: []string{"got 15"},
			// One is from the sender, the other from us, who cannot know that
			// it was sent to the whole group.
			differs: func(t *testing.T, bare, wrapped *outcome) {
				const got = "got 15\n"
				first, rest, _ := strings.Cut(wrapped.Report, got)
				wrapped.Report = first + got + strings.Replace(rest, got, "", 1)
			},
			play: direct("fg", toGroup(syscall.SIGTERM), syscall.SIGTERM)},

		// Without asStream the wrapper becomes the command: nothing differs.
		{name: "interactive, what the command sees", status: "exit 0", shows: []string{"tty true true true", "size 100x40"},
			play: func(s *scene) outcome {
				return s.startTerminal("fg", stage{}, agent("tty", "size", `out:[1mbold[0m\n`)...).end()
			}},
		{name: "interactive, raw mode", status: "exit 0", shows: []string{`["\x03"]`}, play: func(s *scene) outcome {
			r := s.startTerminal("fg", stage{}, agent("raw")...)
			r.says("raw")
			r.press("\x03") // a key like any other now
			return r.end()
		}},
		{name: "interactive, Ctrl-C", status: "exit 0", shows: []string{"got 2\n"}, play: key("\x03", syscall.SIGINT)},
		{name: "interactive, Ctrl-C, dies", status: "exit 0", shows: []string{"ended signal SIGINT"}, play: deadly("\x03")},
		{name: "interactive, Ctrl-Z and fg", status: "exit 0", shows: []string{"stopped SIGTSTP", "typed"}, play: stopAndGoOn()},
		{name: "interactive, leads the session", status: "signal SIGINT", play: func(s *scene) outcome {
			r := s.startTerminal("", stage{}, sh(`echo ready >&3; read x <&4`)...)
			r.says("ready")
			r.press("\x03")
			return r.end()
		}},
	}
	return cases
}

// hangUp closes the terminal and returns how the shell ended.
func hangUp(t *terminal) string {
	t.keys.Close()
	return t.run.status()
}
