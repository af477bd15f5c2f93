//go:build linux

package transparency

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func stdoutCases() []aCase {
	return []aCase{
		{name: "stdout, head -1 of an endless output", status: "exit 0", shows: []string{"y\n", "status 141"},
			play: on(stage{before: sh(`{ "$0" "$@"; echo status $? >&2; } | head -1`)}, "/usr/bin/yes")},
		{name: "stdout, the reader goes", status: "signal SIGPIPE", play: func(s *scene) outcome {
			reader, writer := s.pipe()
			r := s.start(stage{stdout: writer}, agent("flood")...)
			writer.Close()
			if _, err := io.ReadFull(reader, make([]byte, 100000)); err != nil {
				s.t.Error(err)
			}
			reader.Close()
			return r.end()
		}},
		{name: "stdout, the reader goes before the rest is written", status: "signal SIGPIPE", play: func(s *scene) outcome {
			reader, writer := s.pipe()
			r := s.start(stage{stdout: writer}, agent(`out:line\n`, "cue", "blob:5000000")...)
			writer.Close()
			if _, err := io.ReadFull(reader, make([]byte, 5)); err != nil {
				s.t.Error(err)
			}
			reader.Close()
			r.goOn()
			return r.end()
		}},
		{name: "stdout, the reader goes, SIGPIPE is ignored", status: "exit 3", shows: []string{"stdout: broken pipe"}, play: func(s *scene) outcome {
			reader, writer := s.pipe()
			r := s.start(stage{stdout: writer, given: "-PIPE"}, sh(`"$0" "$@"`, world.agent, "flood")...)
			writer.Close()
			if _, err := io.ReadFull(reader, make([]byte, 1000)); err != nil {
				s.t.Error(err)
			}
			reader.Close()
			return r.end()
		}},
		{name: "stdout, the reader goes while nothing is written", status: "signal SIGPIPE", shows: []string{"hangup"}, play: func(s *scene) outcome {
			reader, writer := s.pipe()
			r := s.start(stage{stdout: writer}, agent(`out:line\n`, "say:idle", "hup", `out:more\n`)...)
			writer.Close()
			r.says("idle")
			if _, err := io.ReadFull(reader, make([]byte, 5)); err != nil {
				s.t.Error(err)
			}
			reader.Close()
			return r.end()
		}},
		{name: "stdout, a socket whose reader goes", status: "signal SIGPIPE", shows: []string{"hangup"}, play: func(s *scene) outcome {
			ours, theirs := s.socket()
			r := s.start(stage{stdout: theirs}, agent(`out:line\n`, "say:idle", "hup", `out:more\n`)...)
			theirs.Close()
			r.says("idle")
			if _, err := io.ReadFull(ours, make([]byte, 5)); err != nil {
				s.t.Error(err)
			}
			ours.Close()
			return r.end()
		}},
		{name: "stdout, the reader was never there", status: "signal SIGPIPE", play: func(s *scene) outcome {
			reader, writer := s.pipe()
			reader.Close()
			r := s.start(stage{stdout: writer}, agent("hup", `out:x\n`)...)
			writer.Close()
			o := r.end()
			o.Report = ""
			return o
		}},
		{name: "stdout, the reader goes, the command does not mind", status: "exit 4", play: func(s *scene) outcome {
			reader, writer := s.pipe()
			r := s.start(stage{stdout: writer}, agent(`out:line\n`, "say:idle", "hup", "exit:4")...)
			writer.Close()
			r.says("idle")
			reader.Close()
			return r.end()
		}},
		{name: "stdout, the reader rests and goes on", status: "exit 0", play: func(s *scene) outcome {
			rest := 300 * time.Millisecond
			if long() {
				rest = 10 * time.Second
			}
			reader, writer := s.pipe()
			r := s.start(stage{stdout: writer}, agent("blob:3000000", "say:written")...)
			writer.Close()
			if _, err := io.ReadFull(reader, make([]byte, 1000)); err != nil {
				s.t.Error(err)
			}
			time.Sleep(rest)
			return r.endHashed(reader)
		}},
		{name: "stdout, a non-blocking pipe whose reader rests", status: "exit 0", shows: []string{"nonblock false true false", "still true"}, play: func(s *scene) outcome {
			reader, writer := s.pipe()
			if err := unix.SetNonblock(int(writer.Fd()), true); err != nil {
				s.t.Fatal(err)
			}
			keep := duplicate(s, writer)
			r := s.start(stage{stdout: writer}, agent("flags", "blob:1000000")...)
			writer.Close()
			if s.wrapped {
				r.report.await(s.t, "nonblock false false false")
			}
			time.Sleep(100 * time.Millisecond)
			facts := fmt.Sprintf("still %v", nonblocking(int(keep.Fd())))
			keep.Close()
			o := r.endHashed(reader)
			o.Facts = append(o.Facts, facts)
			return o
		}, differs: func(t *testing.T, bare, wrapped *outcome) {
			// A tapped command's output is another pipe, with flags of its own.
			bare.Report = strings.Replace(bare.Report, "nonblock false true false", "nonblock false false false", 1)
		}},
		{name: "stdout and stderr, flags and sizes stay", status: "exit 0", play: func(s *scene) outcome {
			outReader, out := s.pipe()
			errReader, err := s.pipe()
			r := s.start(stage{stdout: out, stderr: err}, agent("blob:500000", `err:x\n`)...)
			sum, n := hash(io.LimitReader(outReader, 500000))
			var facts []string
			o := r.end()
			for _, f := range []*os.File{out, outReader, err, errReader} {
				size, _ := unix.FcntlInt(f.Fd(), unix.F_GETPIPE_SZ, 0)
				facts = append(facts, fmt.Sprintf("non-blocking %v, %d bytes", nonblocking(int(f.Fd())), size))
			}
			o.Facts = append(facts, fmt.Sprintf("%d bytes, %x", n, sum))
			return o
		}},
		{name: "stdout, a file", status: "exit 0", play: func(s *scene) outcome {
			path := s.file("out", "", 0o644)
			o := s.start(stage{stdout: s.open(path)}, agent("blob:300000")...).end()
			return o.withFile(s, path)
		}},
		{name: "stdout, a file appended to by two", status: "exit 0", play: func(s *scene) outcome {
			path := s.file("out", "before\n", 0o644)
			st := stage{before: sh(`"$0" "$@" >>out; echo after >>out`)}
			o := s.start(st, sh(`echo command`)...).end()
			return o.withFile(s, path)
		}},
		{name: "stdout, a file at an offset", status: "exit 0", play: func(s *scene) outcome {
			path := s.file("out", "", 0o644)
			st := stage{before: sh(`{ echo before; "$0" "$@"; echo after; } >out`)}
			o := s.start(st, sh(`echo command`)...).end()
			return o.withFile(s, path)
		}},
		{name: "stdout, /dev/full", status: "exit 1", play: func(s *scene) outcome {
			return s.start(stage{stdout: s.open("/dev/full")}, "/bin/sh", "-c", "echo x").end()
		}, differs: func(t *testing.T, bare, wrapped *outcome) {
			// The command has written to our pipe and is told nothing; the
			// exit code is ours.
			if !strings.HasPrefix(wrapped.Stderr, "cbc-otel: ") || !strings.Contains(wrapped.Stderr, "no space left") {
				t.Errorf("wrapped: %q", wrapped.Stderr)
			}
			bare.Stderr, wrapped.Stderr = "", ""
		}},
		{name: "stdout, /dev/full, the command goes on writing", status: "exit 3", play: func(s *scene) outcome {
			return s.start(stage{stdout: s.open("/dev/full"), given: "-PIPE"}, agent("flood")...).end()
		}, differs: func(t *testing.T, bare, wrapped *outcome) {
			const says = "cbc-otel: "
			if !strings.HasPrefix(wrapped.Stderr, says) || !strings.Contains(wrapped.Report, "broken pipe") {
				t.Errorf("wrapped: %+v", wrapped)
			}
			bare.Stderr, bare.Report = wrapped.Stderr, wrapped.Report
		}},
		{name: "stdout, closed", status: "exit 1", play: on(stage{given: "x1"}, sh(`ls /proc/$$/fd >&2; echo x`)...)},
		{name: "stdout, open for reading only", status: "exit 1", play: func(s *scene) outcome {
			f, err := os.Open(os.DevNull)
			if err != nil {
				s.t.Fatal(err)
			}
			defer f.Close()
			return s.start(stage{stdout: f}, sh("echo x")...).end()
		}},
		{name: "stdout, a socket", status: "exit 0", play: func(s *scene) outcome {
			ours, theirs := s.socket()
			r := s.start(stage{stdout: theirs}, agent("blob:700000")...)
			theirs.Close()
			return r.endHashed(ours)
		}},
		{name: "stdout, a named pipe that finds another reader", status: "exit 0", shows: []string{"one", "two"}, play: func(s *scene) outcome {
			fifo := filepath.Join(s.dir, "fifo")
			if err := unix.Mkfifo(fifo, 0o600); err != nil {
				s.t.Fatal(err)
			}
			first, err := os.OpenFile(fifo, os.O_RDONLY|unix.O_NONBLOCK, 0)
			if err != nil {
				s.t.Fatal(err)
			}
			writer, err := os.OpenFile(fifo, os.O_WRONLY, 0)
			if err != nil {
				s.t.Fatal(err)
			}
			r := s.start(stage{stdout: writer}, agent(`out:one\n`, "cue", `out:two\n`)...)
			writer.Close()
			one := readLine(s, first)
			first.Close()
			// Nobody reads now, and nobody writes.
			second, err := os.OpenFile(fifo, os.O_RDONLY|unix.O_NONBLOCK, 0)
			if err != nil {
				s.t.Fatal(err)
			}
			defer second.Close()
			r.goOn()
			return r.end(one, readLine(s, second))
		}},
		{name: "stdout, the command closes it and goes on", status: "exit 5", play: func(s *scene) outcome {
			r := s.start(stage{}, sh(`echo line; exec >&-; read x <&4; exit 5`)...)
			before := r.stdout.all(s.t) // ends although the command does not
			r.goOn()
			return r.end("before the exit: " + before)
		}},
		{name: "stderr, closed", status: "exit 0", play: on(stage{given: "x2"}, sh(`ls /proc/$$/fd`)...)},
		{name: "stdout and stderr, one file", status: "exit 0", play: func(s *scene) outcome {
			path := s.file("out", "", 0o644)
			st := stage{before: sh(`"$0" "$@" >>out 2>&1`)}
			s.start(st, agent(`out:1\n`, `err:2\n`, `out:3\n`, `err:4\n`)...).end()
			b, err := os.ReadFile(path)
			if err != nil {
				s.t.Fatal(err)
			}
			return outcome{Status: "exit 0", Stdout: string(b)}
		}, differs: func(t *testing.T, bare, wrapped *outcome) {
			// Each keeps its own order; which comes first is no longer sure.
			for _, digits := range []string{"13", "24"} {
				var order string
				for _, c := range wrapped.Stdout {
					if strings.ContainsRune(digits, c) {
						order += string(c)
					}
				}
				if order != digits {
					t.Errorf("wrapped: %q", wrapped.Stdout)
				}
			}
			wrapped.Stdout = bare.Stdout
		}},
	}
}

// long reports whether the waits of the issue reports are to be kept to the
// second.
func long() bool { return os.Getenv("CBC_OTEL_TEST_LONG") != "" }

func duplicate(s *scene, f *os.File) *os.File {
	s.t.Helper()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), f.Name())
}

func readLine(s *scene, f *os.File) string {
	s.t.Helper()
	var line []byte
	eventually(s.t, "a line", func() bool {
		b := make([]byte, 100)
		n, err := unix.Read(int(f.Fd()), b)
		if err == nil && n > 0 {
			line = append(line, b[:n]...)
		}
		return strings.HasSuffix(string(line), "\n")
	})
	return string(line)
}

func (o outcome) withFile(s *scene, path string) outcome {
	s.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	o.Stdout += string(b)
	return o
}
