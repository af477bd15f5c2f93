package generate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"cbc-otel/internal/simcbc"
)

type entry struct {
	Type, State, AgentID string
	Index                int
	Cached               bool
}

type message struct {
	Type, Subtype, Status string
	TaskID                string  `json:"task_id"`
	Progress              []entry `json:"workflow_progress"`
	Message               struct{ Content []json.RawMessage }
}

func decode(t *testing.T, stream []byte) []message {
	t.Helper()
	if !utf8.Valid(stream) {
		t.Error("not valid UTF-8")
	}
	var all []message
	for line := range bytes.Lines(stream) {
		var m message
		if err := json.Unmarshal(line, &m); err != nil || line[len(line)-1] != '\n' {
			t.Fatalf("line %d: %v: %.200q", len(all)+1, err, line)
		}
		all = append(all, m)
	}
	return all
}

// The totals that Workflows returns are those that a reader of the stream counts.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	for _, f := range []simcbc.Flavour{simcbc.CBC, simcbc.Claude} {
		for _, spec := range []Spec{{Agents: 1}, {Agents: 10}, {Agents: 60, Repeat: 2}} {
			spec.Flavour, spec.Seed = f, 5
			var out bytes.Buffer
			want, err := Workflows(&out, spec)
			if err != nil {
				t.Fatal(err)
			}
			got := Totals{}
			var newest []entry
			listed := map[int]bool{}
			for _, m := range decode(t, out.Bytes()) {
				switch m.Subtype {
				case "task_started":
					got.Workflows++
				case "task_progress":
					got.Snapshots++
					newest = m.Progress
					now := map[int]bool{}
					for _, e := range m.Progress {
						if e.Type == "workflow_agent" {
							now[e.Index] = true
						}
					}
					for i := range listed {
						if !now[i] {
							t.Fatalf("%s: agent %d vanished from a snapshot", f, i)
						}
					}
					listed = now
				case "task_notification":
					if m.Status != "completed" {
						t.Errorf("%s: status %q", f, m.Status)
					}
					for _, e := range newest {
						switch {
						case e.Type != "workflow_agent":
							continue
						case e.Cached || e.State == "cached":
							got.Reuse++
						case e.State == "done":
							got.Done++
						case e.State == "error":
							got.Error++
						default:
							t.Errorf("%s: agent %d ends in state %q", f, e.Index, e.State)
						}
						got.Agents++
					}
					listed = map[int]bool{}
				}
			}
			if got != want || got.Agents != spec.Agents*max(spec.Repeat, 1) {
				t.Errorf("%s, %d agents: counted %+v, told %+v", f, spec.Agents, got, want)
			}
		}
	}
}

func TestTalk(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := Talk(&out, 1, 500); err != nil {
		t.Fatal(err)
	}
	if n := len(decode(t, out.Bytes())); n != 500 {
		t.Errorf("%d lines, want 500", n)
	}
	if mean := out.Len() / 500; mean < 600 || mean > 1500 {
		t.Errorf("lines of %d bytes, want about 1 KB", mean)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := Text(&out, 1, 100_000); err != nil {
		t.Fatal(err)
	}
	if out.Len() < 100_000 || out.Len() > 300_000 || json.Valid(out.Bytes()) {
		t.Errorf("%d bytes, want 100,000 and somewhat more", out.Len())
	}
	for line := range strings.Lines(out.String()) {
		if len(line) < 40 || len(line) > 200 {
			t.Errorf("line of %d bytes", len(line))
		}
	}
}

func TestToolResults(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := ToolResults(&out, 1, 4, 1<<20); err != nil {
		t.Fatal(err)
	}
	var large, events int
	for _, m := range decode(t, out.Bytes()) {
		if m.Type != "user" {
			continue
		}
		var r struct{ Content string }
		if err := json.Unmarshal(m.Message.Content[0], &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Content) > 900_000 && len(r.Content) < 1_300_000 {
			large++
		}
		if strings.Contains(r.Content, `"subtype":"task_progress"`) {
			events++
		}
	}
	if large != 4 || events != 2 {
		t.Errorf("%d results of 1 MB, %d with quoted events, want 4 and 2", large, events)
	}
}

func TestLongLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := LongLine(&out, 1, 3<<20); err != nil {
		t.Fatal(err)
	}
	longest, notified := 0, 0
	for line := range bytes.Lines(out.Bytes()) {
		longest = max(longest, len(line))
	}
	for _, m := range decode(t, out.Bytes()) {
		if m.Subtype == "task_notification" {
			notified++
		}
	}
	if longest < 3<<20 || longest > 4<<20 || notified != 1 {
		t.Errorf("longest line %d bytes, %d workflows", longest, notified)
	}
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// The streams of the benchmarks are about as large as real ones: a workflow of 1,000 agents fills 250 to
// 550 MB.
func TestStreamSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 2.5 GB")
	}
	t.Parallel()
	sizes := map[string][2]int{ // MB
		"talk": {30, 60}, "text": {200, 220}, "tool-results": {200, 220}, "long-line": {100, 110},
		"cbc-10": {0, 1}, "cbc-100": {2, 7}, "cbc-400": {35, 90}, "cbc-1000": {250, 560}, "cbc-100x70": {200, 500},
		"claude-10": {0, 1}, "claude-100": {2, 7}, "claude-400": {35, 90}, "claude-1000": {250, 560}, "claude-100x70": {200, 500},
	}
	for _, s := range Streams(1) {
		var n counter
		if err := s.Write(&n); err != nil {
			t.Fatal(err)
		}
		want, ok := sizes[s.Name]
		if !ok || int(n) < want[0]*1_000_000 || int(n) > want[1]*1_000_000 {
			t.Errorf("%s: %d bytes, want %d to %d MB", s.Name, n, want[0], want[1])
		}
		delete(sizes, s.Name)
	}
	if len(sizes) > 0 {
		t.Errorf("missing: %v", sizes)
	}
}

// small is one of each kind of stream.
var small = map[string]func(io.Writer, uint64) error{
	"talk":         func(w io.Writer, seed uint64) error { return Talk(w, seed, 100) },
	"text":         func(w io.Writer, seed uint64) error { return Text(w, seed, 100_000) },
	"tool results": func(w io.Writer, seed uint64) error { return ToolResults(w, seed, 2, 100_000) },
	"long line":    func(w io.Writer, seed uint64) error { return LongLine(w, seed, 100_000) },
	"cbc": func(w io.Writer, seed uint64) error {
		_, err := Workflows(w, Spec{Flavour: simcbc.CBC, Agents: 30, Seed: seed})
		return err
	},
	"claude": func(w io.Writer, seed uint64) error {
		_, err := Workflows(w, Spec{Flavour: simcbc.Claude, Agents: 30, Seed: seed})
		return err
	},
}

func TestSeedDecidesTheStream(t *testing.T) {
	t.Parallel()
	for name, write := range small {
		var a, b, c bytes.Buffer
		for out, seed := range map[*bytes.Buffer]uint64{&a: 1, &b: 1, &c: 2} {
			if err := write(out, seed); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two streams with one seed differ", name)
		}
		if bytes.Equal(a.Bytes(), c.Bytes()) {
			t.Errorf("%s: another seed gives the same stream", name)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorsShow(t *testing.T) {
	t.Parallel()
	for name, write := range small {
		if err := write(broken{}, 1); err == nil || err.Error() != "disk full" {
			t.Errorf("%s: error %v, want that of the writer", name, err)
		}
	}
}
