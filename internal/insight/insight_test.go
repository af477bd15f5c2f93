package insight_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"cbc-otel/internal/insight"
	"cbc-otel/internal/replay"
	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

var update = flag.Bool("update", false, "rewrite the golden file")

var epoch = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func at(s float64) time.Time { return epoch.Add(time.Duration(s * float64(time.Second))) }

// an is an agent of the tests: its phase (0: none), when it ran, in seconds, and what else is known of it.
type an struct {
	phase    int
	from, to float64
	queue    int64 // ms
	never    bool
	state    string
}

// tree makes a workflow of the given length with these agents; agent i has the span id {2, i/256, i}.
func tree(length float64, agents ...an) mapping.Tree {
	t := mapping.Tree{Spans: []mapping.Span{{Kind: mapping.WorkflowSpan, SpanID: mapping.SpanID{1}, Start: at(0), End: at(length)}}}
	phases := 0
	for _, a := range agents {
		phases = max(phases, a.phase)
	}
	for p := 0; p <= phases; p++ {
		parent := mapping.SpanID{1}
		if p > 0 {
			parent = mapping.SpanID{9, byte(p)}
			s := mapping.Span{Kind: mapping.PhaseSpan, SpanID: parent, ParentID: mapping.SpanID{1}, Start: at(length)}
			s.Attributes = []mapping.Attribute{{Key: mapping.KeyPhaseTitle, Value: fmt.Sprint("P", p)}}
			for _, a := range agents {
				if a.phase == p {
					s.Start, s.End = earlier(s.Start, at(a.from)), later(s.End, at(a.to))
				}
			}
			t.Spans = append(t.Spans, s)
		}
		for i, a := range agents {
			if a.phase != p {
				continue
			}
			s := mapping.Span{Kind: mapping.AgentSpan, SpanID: id(i), ParentID: parent, Start: at(a.from), End: at(a.to)}
			s.Attributes = []mapping.Attribute{{Key: mapping.KeyAgentStarted, Value: !a.never}, {Key: mapping.KeyAgentTokens, Value: int64(100)}}
			if a.queue != 0 {
				s.Attributes = append(s.Attributes, mapping.Attribute{Key: mapping.KeyAgentQueue, Value: a.queue})
			}
			if a.state != "" {
				s.Attributes = append(s.Attributes, mapping.Attribute{Key: mapping.KeyAgentState, Value: a.state})
			}
			t.Spans = append(t.Spans, s)
		}
	}
	return t
}

func id(i int) mapping.SpanID { return mapping.SpanID{2, byte(i >> 8), byte(i)} }

func ids(all ...int) (list []mapping.SpanID) {
	for _, i := range all {
		list = append(list, id(i))
	}
	return list
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		tree         mapping.Tree
		active, wait time.Duration
		concurrency  int
		efficiency   string
		critical     []mapping.SpanID
		phases       string // title concurrency efficiency critical stragglers tokens
	}{
		{name: "empty", efficiency: "0.00"},
		{name: "no agents", tree: tree(3), efficiency: "0.00"},
		{
			name:   "one after the other",
			tree:   tree(6, an{phase: 1, to: 2}, an{phase: 1, from: 2, to: 4}, an{phase: 2, from: 4, to: 6}),
			active: 6 * time.Second, concurrency: 1, efficiency: "1.00", critical: ids(0, 1, 2),
			phases: "P1 1 1.00 020001 [] 200; P2 1 1.00 020002 [] 100",
		},
		{
			name:   "parallel, the slow one decides",
			tree:   tree(6, an{phase: 1, to: 2}, an{phase: 1, to: 4}, an{phase: 2, from: 4, to: 5}, an{phase: 2, from: 4, to: 6}),
			active: 9 * time.Second, concurrency: 2, efficiency: "0.75", critical: ids(1, 3),
			phases: "P1 2 0.75 020001 [] 200; P2 2 0.75 020003 [] 200",
		},
		{
			name:   "queued behind one slot",
			tree:   tree(3, an{phase: 1, to: 1}, an{phase: 1, from: 1, to: 2, queue: 1000}, an{phase: 1, from: 2, to: 3, queue: 2000}),
			active: 3 * time.Second, wait: 3 * time.Second, concurrency: 1, efficiency: "1.00", critical: ids(0, 1, 2),
			phases: "P1 1 1.00 020002 [] 300",
		},
		{
			name:   "a gap in between",
			tree:   tree(10, an{phase: 1, to: 1}, an{phase: 1, from: 8, to: 10}),
			active: 3 * time.Second, concurrency: 1, efficiency: "0.30", critical: ids(0, 1),
			phases: "P1 1 0.30 020001 [] 200",
		},
		{
			name:   "some never started",
			tree:   tree(4, an{phase: 1, to: 4}, an{phase: 1, from: 1, to: 4, never: true, state: "cancelled"}, an{phase: 1, from: 1, to: 1, never: true, state: "cached"}),
			active: 4 * time.Second, wait: 3 * time.Second, concurrency: 1, efficiency: "1.00", critical: ids(0),
			phases: "P1 1 1.00 020000 [] 300",
		},
		{
			name:   "none started",
			tree:   tree(4, an{phase: 1, to: 4, never: true}, an{to: 4, never: true, state: "cached"}),
			wait:   4 * time.Second,
			phases: "P1 0 0.00 000000 [] 100", efficiency: "0.00",
		},
		{
			name:   "no phases",
			tree:   tree(2, an{to: 1}, an{to: 2}),
			active: 3 * time.Second, concurrency: 2, efficiency: "0.75", critical: ids(1),
		},
		{
			name:   "too short for a clock",
			tree:   tree(2, an{from: 1, to: 1}),
			active: 0, concurrency: 1, efficiency: "0.00", critical: ids(0),
		},
		{
			name: "stragglers",
			tree: tree(10, an{phase: 1, to: 1}, an{phase: 1, to: 1.2}, an{phase: 1, to: 1.1}, an{phase: 1, to: 2.1}, an{phase: 1, to: 9},
				an{phase: 2, from: 9, to: 9.1}, an{phase: 2, from: 9, to: 9.1}, an{phase: 2, from: 9, to: 10}),
			active: 15600 * time.Millisecond, concurrency: 5, efficiency: "0.31", critical: ids(4, 7),
			phases: "P1 5 0.32 020004 [020004] 500; P2 3 0.40 020007 [] 300",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := insight.Of(c.tree)
			if w.Active != c.active || w.Queued != c.wait || w.Concurrency != c.concurrency || fmt.Sprintf("%.2f", w.Efficiency) != c.efficiency {
				t.Errorf("active %v queued %v concurrency %d efficiency %.2f", w.Active, w.Queued, w.Concurrency, w.Efficiency)
			}
			if !reflect.DeepEqual(w.Critical, c.critical) {
				t.Errorf("critical path %x, want %x", w.Critical, c.critical)
			}
			if got := phases(w); got != c.phases {
				t.Errorf("phases %s\nwant   %s", got, c.phases)
			}
		})
	}
}

func phases(w insight.Workflow) string {
	var all []string
	for _, p := range w.Phases {
		slow := []string{}
		for _, s := range p.Stragglers {
			slow = append(slow, fmt.Sprintf("%x", s[:3]))
		}
		all = append(all, fmt.Sprintf("%s %d %.2f %x %s %d", p.Title, p.Concurrency, p.Efficiency, p.Critical[:3], slow, p.Tokens))
	}
	return strings.Join(all, "; ")
}

// A thousand agents behind ten slots: each waits for the one ten before it.
func TestThousandAgents(t *testing.T) {
	t.Parallel()
	agents := make([]an, 1000)
	for i := range agents {
		wave := float64(i / 10)
		agents[i] = an{phase: 1, from: wave, to: wave + 1, queue: int64(wave) * 1000}
	}
	w := insight.Of(tree(100, agents...))
	if w.Concurrency != 10 || w.Efficiency != 1 || len(w.Critical) != 100 || w.Queued != 49500*time.Second {
		t.Errorf("concurrency %d efficiency %v path of %d queued %v", w.Concurrency, w.Efficiency, len(w.Critical), w.Queued)
	}
}

// A file can hold anything: agents outside their workflow's time, spans that are their own ancestors, ends before
// starts.
func TestHostileTrees(t *testing.T) {
	t.Parallel()
	tr := tree(1, an{phase: 1, from: -50, to: 100}, an{phase: 1, from: 5, to: 1}, an{phase: 1, to: 1, queue: 1 << 62}, an{phase: 1, to: 1, queue: -5})
	tr.Spans = append(tr.Spans, mapping.Span{Kind: mapping.AgentSpan, SpanID: mapping.SpanID{7}, ParentID: mapping.SpanID{8}, Start: at(0), End: at(1)},
		mapping.Span{SpanID: mapping.SpanID{8}, ParentID: mapping.SpanID{7}})
	w := insight.Of(tr)
	if w.Efficiency != 1 || w.Queued != 366*24*time.Hour || len(w.Critical) != 1 {
		t.Errorf("%+v", w)
	}
}

// An agent below another span than its phase is one of the phase.
func TestSpansInBetween(t *testing.T) {
	t.Parallel()
	tr := tree(2, an{phase: 1, to: 2})
	tr.Spans = append(tr.Spans, mapping.Span{SpanID: mapping.SpanID{8}, ParentID: mapping.SpanID{9, 1}, Start: at(0), End: at(2)})
	tr.Spans[2].ParentID = mapping.SpanID{8}
	if w := insight.Of(tr); w.Phases[0].Critical != id(0) {
		t.Errorf("%+v", w)
	}
}

// What the recorded streams say, one line a workflow and a phase.
func TestCaptures(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, c := range testdata.Captures() {
		in, err := c.Open()
		if err != nil {
			t.Fatal(err)
		}
		_, err = replay.Run(in, replay.Options{OnTree: func(tr mapping.Tree) { describe(&b, c.Name, tr) }})
		_ = in.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join("testdata", "captures.txt")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || b.String() != string(want) {
		t.Errorf("%v; -update rewrites %s. Got\n%s", err, path, b.String())
	}
}

func describe(b *strings.Builder, name string, t mapping.Tree) {
	w := insight.Of(t)
	names := map[mapping.SpanID]string{}
	for i := range t.Spans {
		names[t.Spans[i].SpanID] = t.Spans[i].Text(mapping.KeyAgentName)
	}
	called := func(ids []mapping.SpanID) (list []string) {
		for _, id := range ids {
			list = append(list, names[id])
		}
		return list
	}
	fmt.Fprintf(b, "%s: wall %v active %v queued %v concurrency %d efficiency %.2f critical %q\n",
		name, w.Wall, w.Active, w.Queued, w.Concurrency, w.Efficiency, called(w.Critical))
	for _, p := range w.Phases {
		fmt.Fprintf(b, "    %s: wall %v active %v queued %v concurrency %d efficiency %.2f critical %q stragglers %q tokens %d\n",
			p.Title, p.Wall, p.Active, p.Queued, p.Concurrency, p.Efficiency, names[p.Critical], called(p.Stragglers), p.Tokens)
	}
}
