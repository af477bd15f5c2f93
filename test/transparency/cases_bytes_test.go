//go:build linux

package transparency

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func bytesCases() []aCase {
	cases := []aCase{
		{name: "nothing at all", status: "exit 0", play: simple(agent()...)},
		{name: "stdout and stderr", status: "exit 0", shows: []string{"to out\n", "to err\n"},
			play: simple(agent(`out:to out\n`, `err:to err\n`)...)},
		{name: "CRLF, NUL, invalid UTF-8, no final newline", status: "exit 0", shows: []string{"b\x00c"},
			play: simple(agent(`out:a\r\nb\x00c\xff\xfe\n{\"x\":\"\xed\xa0\xbd\"}`)...)},
		{name: "text that is no JSON", status: "exit 0",
			play: simple(agent(`out:{\"type\":\"system\"}\n`, `out:npm warn\n[1mbold[0m\r`, `out:{\"type\":`)...)},
		{name: "event-shaped lines on stderr", status: "exit 0", shows: []string{"task_started"},
			play: simple(agent(`err:{\"type\":\"system\",\"subtype\":\"task_started\",\"task_id\":\"t\",\"task_type\":\"local_workflow\"}\n`)...)},
		{name: "1 MB and exit at once", status: "exit 0", play: simple(agent("blob:1000000")...)},
		{name: "one line, then silence", status: "exit 0", play: func(s *scene) outcome {
			r := s.start(stage{}, agent(`out:first\n`, "cue", `out:second\n`)...)
			r.stdout.await(s.t, "first\n") // or the cue never comes
			r.goOn()
			return r.end()
		}},
		{name: "many lines, each waited for", status: "exit 0", play: func(s *scene) outcome {
			const n = 50
			var verbs []string
			for range n {
				verbs = append(verbs, `out:line\n`, "cue")
			}
			r := s.start(stage{}, agent(verbs...)...)
			for i := range n {
				r.stdout.awaitBytes(s.t, (i+1)*len("line\n"))
				r.goOn()
			}
			return r.end()
		}},
		{name: "half a line, then silence", status: "exit 0", play: func(s *scene) outcome {
			r := s.start(stage{}, agent(`out:Password: `, "cue", `out:\n`)...)
			r.stdout.await(s.t, "Password: ")
			r.goOn()
			return r.end()
		}},
		{name: "a line of 200 KB into a slow reader", status: "exit 0", play: func(s *scene) outcome {
			reader, writer := s.pipe()
			r := s.start(stage{stdout: writer}, agent("blob:200000", `out:\n`)...)
			writer.Close()
			return r.endSlowly(reader, 4096)
		}},
		{name: "a line of 100 MB", status: "exit 0", play: func(s *scene) outcome {
			size := 100_000_000
			if testing.Short() {
				size = 10_000_000
			}
			reader, writer := s.pipe()
			r := s.start(stage{stdout: writer}, agent(fmt.Sprintf("blob:%d", size), `out:\nafter\n`)...)
			writer.Close()
			return r.endHashed(reader)
		}},
	}
	for _, size := range []int{4095, 4096, 4097, 65535, 65536, 65537, 262143, 262144, 262145, 1<<20 - 1, 1 << 20, 1<<20 + 1} {
		cases = append(cases, aCase{
			name: fmt.Sprintf("%d bytes", size), status: "exit 0",
			play: simple(agent(fmt.Sprintf("blob:%d", size))...),
		})
	}
	return cases
}

// endSlowly reads the command's output in small pieces, to its end.
func (r *run) endSlowly(reader *os.File, piece int) outcome {
	r.scene.t.Helper()
	var b strings.Builder
	buf := make([]byte, piece)
	for {
		n, err := reader.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			break
		}
	}
	o := r.end()
	o.Stdout = b.String()
	return o
}

// endHashed reads the command's output to its end and keeps its hash.
func (r *run) endHashed(reader *os.File) outcome {
	r.scene.t.Helper()
	sum, n := hash(reader)
	return r.end(fmt.Sprintf("%d bytes, %x", n, sum))
}
