//go:build linux

package transparency

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// deadly are signals that end a process that does nothing about them.
var deadly = []syscall.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGSEGV,
	syscall.SIGUSR1, syscall.SIGALRM, syscall.SIGTERM, 40,
}

func exitCases() []aCase {
	var cases []aCase
	for _, code := range []int{0, 1, 7, 126, 127, 130, 143, 255} {
		cases = append(cases, aCase{
			name: fmt.Sprintf("exit code %d", code), status: fmt.Sprintf("exit %d", code),
			play: simple(agent(`out:x`, fmt.Sprintf("exit:%d", code))...),
		})
	}
	for _, sig := range append(deadly, syscall.SIGKILL, syscall.SIGPIPE, syscall.SIGFPE) {
		cases = append(cases, aCase{
			name: "dies by " + signalName(sig), status: "signal " + signalName(sig),
			play: func(s *scene) outcome {
				st := stage{before: sh(`ulimit -c unlimited; exec "$0" "$@"`)}
				o := s.start(st, sh(fmt.Sprintf("echo x; kill -%d $$", sig))...).end()
				// A core of the command is its own affair, but one of ours
				// could take its place.
				o.Facts = append(o.Facts, "cores of cbc-otel: "+coresOf(s.dir, world.wrapper))
				return o
			},
		})
	}
	for _, sig := range append(deadly, syscall.SIGUSR2, syscall.SIGSYS) {
		cases = append(cases, aCase{
			name: "sent " + signalName(sig) + ", dies", status: "signal " + signalName(sig),
			play: func(s *scene) outcome {
				r := s.start(stage{}, sh(`echo ready >&3; read x <&4; echo never`)...)
				r.says("ready")
				r.kill(sig)
				return r.end()
			},
		})
	}
	cases = append(cases,
		aCase{name: "sent SIGKILL, the command is gone", status: "signal SIGKILL", play: func(s *scene) outcome {
			r := s.start(stage{}, agent("say:ready", "cue", "say:alive")...)
			r.says("ready")
			r.kill(syscall.SIGKILL)
			return r.end() // reads to the end of the report: nobody holds it any more
		}},
		aCase{name: "sent SIGTERM, exits with a code of its own", status: "exit 5", shows: []string{"bye"},
			play: func(s *scene) outcome {
				r := s.start(stage{}, agent("catch", "await:15", `out:bye\n`, "exit:5")...)
				r.says("catching")
				r.kill(syscall.SIGTERM)
				return r.end()
			}},
		aCase{name: "sent SIGTERM, survives", status: "exit 0", shows: []string{"got 15"}, play: func(s *scene) outcome {
			r := s.start(stage{}, agent("catch", "cue", `out:still here\n`)...)
			r.says("catching")
			r.kill(syscall.SIGTERM)
			r.says("got 15")
			r.goOn()
			return r.end()
		}},
	)
	return cases
}

func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprint(int(sig))
}

// coresOf counts the core files of a program in a folder.
func coresOf(dir, program string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err.Error()
	}
	n := 0
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err == nil && bytes.HasPrefix(b, []byte("\x7fELF")) && bytes.Contains(b, []byte(program)) {
			n++
		}
	}
	return fmt.Sprint(n)
}
