//go:build linux

package transparency

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func stdinCases() []aCase {
	return []aCase{
		{name: "stdin, a file", status: "exit 0", shows: []string{"stdin 300000 bytes"}, play: func(s *scene) outcome {
			f := s.open(s.file("input", string(blob(300000)), 0o644))
			return s.start(stage{stdin: f}, agent("cat")...).end()
		}},
		{name: "stdin, /dev/null", status: "exit 0", shows: []string{"stdin 0 bytes"}, play: simple(agent("cat")...)},
		{name: "stdin, closed", status: "exit 0", play: on(stage{given: "x0"}, sh(`ls /proc/$$/fd; read x || echo "no input"`)...)},
		{name: "stdin, a terminal", status: "exit 0", shows: []string{"typed"}, play: func(s *scene) outcome {
			stdout, writer := s.pipe()
			r := s.startTerminal("fg", stage{stdout: writer}, sh(`read x; echo "$x"`)...)
			writer.Close()
			r.press("typed\n")
			o := r.end()
			o.Stdout += newTail(stdout).all(s.t)
			return o
		}},
		{name: "stdin, an endless pipe nobody reads", status: "exit 0",
			play: on(stage{before: sh(`yes | { "$0" "$@"; }`)}, "/bin/true")},
		{name: "stdin, a loop around the command keeps its lines", status: "exit 0", shows: []string{"1\nout\n2\nout\n3\nout\n"},
			play: on(stage{before: sh(`printf '1\n2\n3\n' | while read l; do echo $l; "$0" "$@"; done`)}, sh(`echo out`)...)},
		{name: "stdin, what the command leaves is the next one's", status: "exit 0", shows: []string{"first one\nrest two three\n"}, play: func(s *scene) outcome {
			f := s.open(s.file("input", "one\ntwo\nthree\n", 0o644))
			return s.start(stage{stdin: f, before: sh(`"$0" "$@"; echo rest $(cat)`)}, sh(`read x; echo first $x`)...).end()
		}},
		{name: "stdin, ends while the command goes on", status: "exit 0", shows: []string{"stdin 5 bytes", "after"}, play: func(s *scene) outcome {
			reader, writer := s.pipe()
			r := s.start(stage{stdin: reader}, agent("cat", "cue", `out:after\n`)...)
			reader.Close()
			if _, err := writer.WriteString("hello"); err != nil {
				s.t.Error(err)
			}
			r.stdout.await(s.t, "hello")
			writer.Close()
			r.report.await(s.t, "stdin 5 bytes")
			r.goOn()
			return r.end()
		}},
		{name: "stdin, a socket that is half-closed", status: "exit 0", shows: []string{"stdin 5 bytes", "after"}, play: func(s *scene) outcome {
			ours, theirs := s.socket()
			r := s.start(stage{stdin: theirs}, agent("cat", `out:after\n`)...)
			theirs.Close()
			if _, err := ours.WriteString("hello"); err != nil {
				s.t.Error(err)
			}
			if err := unix.Shutdown(int(ours.Fd()), unix.SHUT_WR); err != nil {
				s.t.Error(err)
			}
			return r.end()
		}},
		{name: "stdin, the sender is told when the command is gone", status: "exit 0", shows: []string{"broken pipe"}, play: func(s *scene) outcome {
			reader, writer := s.pipe()
			r := s.start(stage{stdin: reader}, "/bin/true")
			reader.Close()
			o := r.end()
			_, err := writer.WriteString("x")
			o.Facts = append(o.Facts, errno(err))
			return o
		}},
	}
}

// socket returns two connected stream sockets, as Node makes them for a
// child's standard descriptors.
func (s *scene) socket() (ours, theirs *os.File) {
	s.t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	ours, theirs = os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(fds[1]), "socket")
	s.t.Cleanup(func() { ours.Close(); theirs.Close() })
	return ours, theirs
}

func errno(err error) string {
	if pathErr, ok := err.(*os.PathError); ok {
		if errno, ok := pathErr.Err.(syscall.Errno); ok {
			return errno.Error()
		}
	}
	return "no error"
}
