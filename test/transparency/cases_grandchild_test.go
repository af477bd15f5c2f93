//go:build linux

package transparency

import (
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
)

// grandchildCases are commands that end while others still hold their
// standard output.
func grandchildCases() []aCase {
	// holder is a shell command that holds the output and nothing else, and
	// tells its process id.
	const holder = `sleep 1000 2>/dev/null 3>&- 4>&- & echo "holder $!" >&3; `
	held := func(script string) func(*scene) outcome {
		return func(s *scene) outcome {
			r := s.start(stage{}, sh(holder+script)...)
			pid := r.pidOf("holder")
			status := r.status()
			alive := stateOf(pid) != "gone"
			_ = syscall.Kill(pid, syscall.SIGKILL)
			o := r.rest(status)
			o.Facts = []string{fmt.Sprint("the holder lives: ", alive)}
			return o
		}
	}
	// late is a script whose background part writes after its end, on cue.
	const late = `(read x <&4; echo late) & echo hi; echo "command $$" >&3`
	return []aCase{
		{name: "a background process holds the output", status: "exit 0", shows: []string{"hi", "lives: true"}, play: held(`echo hi`)},
		{name: "a background process holds the output, exit 3", status: "exit 3", play: held(`echo hi; exit 3`)},
		{name: "a background process holds the output, death", status: "signal SIGTERM", play: held(`echo hi; kill -TERM $$`)},
		{name: "a background process holds the output of 1 MB", status: "exit 0", play: held(`head -c 1000000 /dev/zero`)},
		{name: "a daemon", status: "exit 0", shows: []string{"lives: true"}, play: func(s *scene) outcome {
			r := s.start(stage{}, sh(`setsid sleep 1000 </dev/null >/dev/null 2>&1 3>&- 4>&- & echo "holder $!" >&3; echo hi`)...)
			pid := r.pidOf("holder")
			o := r.end()
			o.Facts = []string{fmt.Sprint("the daemon lives: ", stateOf(pid) != "gone")}
			_ = syscall.Kill(pid, syscall.SIGKILL)
			return o
		}},
		{name: "a background process writes on, --drain wait", status: "exit 0", shows: []string{"hi\nlate\n"}, play: func(s *scene) outcome {
			r := s.start(stage{flags: []string{"--drain=wait"}}, sh(late)...)
			pid := r.pidOf("command")
			r.stdout.await(s.t, "hi\n")
			eventually(s.t, "gone", func() bool { return stateOf(pid) == "gone" })
			r.goOn()
			return r.end()
		}},
		{name: "a background process writes after the drain", status: "exit 0", shows: []string{"hi\nlate\n"}, play: func(s *scene) outcome {
			r := s.start(stage{}, sh(late)...)
			status := r.status()
			r.goOn()
			return r.rest(status)
		}, differs: func(t *testing.T, bare, wrapped *outcome) {
			if wrapped.Stdout != "hi\n" {
				t.Errorf("wrapped: %q", wrapped.Stdout)
			}
			bare.Stdout = "hi\n"
		}},
		{name: "a background process that is never silent", status: "exit 0", play: func(s *scene) outcome {
			r := s.start(stage{}, sh(`(while echo x; do sleep 0.02; done) 2>/dev/null 3>&- 4>&- & echo "holder $!" >&3; echo hi`)...)
			pid := r.pidOf("holder")
			status := r.status()
			_ = syscall.Kill(pid, syscall.SIGKILL)
			o := r.rest(status)
			o.Stdout = fmt.Sprint("hi: ", strings.Contains(o.Stdout, "hi\n"))
			return o
		}},
		{name: "a background process that floods", status: "exit 0", play: func(s *scene) outcome {
			reader, writer := s.pipe()
			r := s.start(stage{stdout: writer}, sh(`yes 2>/dev/null 3>&- 4>&- & echo "holder $!" >&3`)...)
			writer.Close()
			go func() { _, _ = io.Copy(io.Discard, reader) }()
			pid := r.pidOf("holder")
			status := r.status()
			_ = syscall.Kill(pid, syscall.SIGKILL)
			return outcome{Status: status}
		}},
		{name: "1 MB, a holder, and a reader that rests longer than any drain", status: "exit 0", play: func(s *scene) outcome {
			rest := 500 * time.Millisecond
			if long() {
				rest = 10 * time.Second
			}
			reader, writer := s.pipe()
			r := s.start(stage{stdout: writer}, sh(`sleep 1000 2>/dev/null 3>&- 4>&- & echo "holder $!" >&3; head -c 1000000 /dev/zero`)...)
			writer.Close()
			pid := r.pidOf("holder")
			if _, err := io.ReadFull(reader, make([]byte, 1000)); err != nil {
				s.t.Error(err)
			}
			time.Sleep(rest)
			n, err := io.ReadFull(reader, make([]byte, 999000))
			status := r.status()
			_ = syscall.Kill(pid, syscall.SIGKILL)
			return outcome{Status: status, Facts: []string{fmt.Sprint(n, err)}}
		}},
		{name: "two generations of output", status: "exit 0", shows: []string{"1\n2\n3\n"},
			play: on(stage{}, sh(`(echo 1; (echo 2); exec /bin/echo 3)`)...)},
	}
}

// rest is end for a command whose exit has been seen.
func (r *run) rest(status string) outcome {
	r.scene.t.Helper()
	o := outcome{Status: status}
	o.Stdout, o.Stderr = r.stdout.all(r.scene.t), r.stderr.all(r.scene.t)
	o.Report = processIDs.ReplaceAllString(r.report.all(r.scene.t), "")
	return o
}
