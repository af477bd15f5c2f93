package exporter_test

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

var update = flag.Bool("update", false, "rewrite the pictures in testdata")

func toConsole(t *testing.T) (exporter.Options, *output) {
	t.Helper()
	o, _ := options(t, "console")
	out := &output{}
	o.Console.Out = out
	return o, out
}

// shown is a workflow with something of everything.
func shown() mapping.Tree {
	t := tree(1, 4)
	at := func(s float64) time.Time { return epoch.Add(time.Duration(s * float64(time.Second))) }
	set := func(i int, name string, from, to float64, attrs ...mapping.Attribute) *mapping.Span {
		s := &t.Spans[i]
		s.Name, s.Start, s.End = name, at(from), at(to)
		s.Attributes = append(s.Attributes, attrs...)
		return s
	}
	attr := func(key string, value any) mapping.Attribute { return mapping.Attribute{Key: key, Value: value} }
	root := set(0, "invoke_workflow audit", 0, 185, attr(mapping.PrefixWorkflowAgents+"error", int64(1)), attr(mapping.PrefixWorkflowAgents+"cached", int64(1)), attr(mapping.KeyUsageTokens, int64(1234567)))
	root.Status = mapping.Status{}
	set(1, "phase Gather", 0, 100)
	set(2, "invoke_agent scout", 0, 100)
	set(3, "invoke_agent 検索エージェント", 10, 11.25)
	failed := set(4, "invoke_agent a label that is much longer than there is room for in the column", 50, 100)
	failed.Attributes[3] = attr(mapping.KeyAgentState, "error")
	failed.Status = mapping.Status{Error: true, Description: "API Error: 500 a long description of what went wrong, longer than the line"}
	outside := set(5, "invoke_agent", 100, 100.004)
	outside.ParentID = t.Spans[0].SpanID
	outside.Attributes = []mapping.Attribute{attr(mapping.KeyAgentName, "agent-4"), attr(mapping.KeyAgentState, "cached")}
	return t
}

func TestConsole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		golden string
		width  int
		ascii  bool
	}{{"console.txt", 0, false}, {"console-narrow.txt", 72, false}, {"console-ascii.txt", 100, true}} {
		o, out := toConsole(t)
		o.Console.Width, o.Console.ASCII = c.width, c.ascii
		run(t, o, hang, shown())
		if *update {
			if err := os.WriteFile("testdata/"+c.golden, []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile("testdata/" + c.golden)
		if err != nil || out.String() != string(want) {
			t.Errorf("%s: %v, got\n%s", c.golden, err, out)
		}
	}
}

// A tree of several batches is one picture, and one write.
func TestConsoleWholeTrees(t *testing.T) {
	t.Parallel()
	o, _ := toConsole(t)
	w := &writes{}
	o.Console.Out = w
	o.MaxSpans = 10
	run(t, o, hang, tree(1, 95), tree(2, 1))
	if len(w.texts) != 2 || strings.Count(w.texts[0], "\n") != 98 || strings.Count(w.texts[1], "\n") != 4 {
		t.Errorf("%d writes: %q", len(w.texts), w.texts)
	}
}

type writes struct{ texts []string }

func (w *writes) Write(p []byte) (int, error) {
	w.texts = append(w.texts, string(p))
	return len(p), nil
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestConsoleFails(t *testing.T) {
	t.Parallel()
	o, _ := toConsole(t)
	o.Console.Out = broken{}
	if e := one(t, run(t, o, hang, tree(1, 1))); e.Lost[exporter.Disk] != 3 || e.Error != "gone" {
		t.Errorf("report %+v", e)
	}
}

// How a workflow ended is said once.
func TestConsoleSaysStoppedOnce(t *testing.T) {
	t.Parallel()
	o, out := toConsole(t)
	tr := tree(1, 1)
	for i, a := range tr.Spans[0].Attributes {
		if a.Key == mapping.KeyWorkflowStatus {
			tr.Spans[0].Attributes[i].Value = "stopped"
		}
	}
	tr.Spans[0].Status = mapping.Status{Error: true, Description: "stopped"}
	run(t, o, hang, tr)
	if strings.Count(out.String(), "stopped") != 1 {
		t.Errorf("%s", out)
	}
}

// Whatever is in a name, it stays in its line.
func TestConsoleHostileText(t *testing.T) {
	t.Parallel()
	o, out := toConsole(t)
	tr := tree(1, 1)
	tr.Spans[2].Name = "invoke_agent x\n::error::y\x1b[2Jz\u202e"
	tr.Spans[2].Status = mapping.Status{Error: true, Description: "a\r\nb"}
	run(t, o, hang, tr)
	if strings.Count(out.String(), "\n") != 4 || strings.ContainsAny(out.String(), "\r\x1b\u202e") {
		t.Errorf("%q", out)
	}
}

// resting is a reader that rests after so many bytes, until it is asked often enough.
type resting struct {
	output
	room, rests int
}

func (r *resting) Write(p []byte) (int, error) {
	if r.room >= len(p) || r.rests == 0 {
		return r.output.Write(p)
	}
	r.rests--
	n, _ := r.output.Write(p[:r.room])
	r.room = 0
	return n, say.ErrStalled
}

// A reader that rests, as a pager does, is waited for within the flush; one that does not read any more costs the tree.
func TestConsoleReaderRests(t *testing.T) {
	t.Parallel()
	o, whole := toConsole(t)
	run(t, o, hang, tree(1, 3))
	rests := &resting{room: 20, rests: 3}
	o.Console.Out = rests
	if e := one(t, run(t, o, hang, tree(1, 3))); e.Exported != 5 || rests.String() != whole.String() {
		t.Errorf("report %+v, printed %s", e, rests)
	}
	o.Console.Out = &resting{rests: 1 << 30}
	if e := one(t, run(t, o, 100*time.Millisecond, tree(1, 3))); e.LostTotal() != 5 {
		t.Errorf("report %+v", e)
	}
}
