package traces_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"cbc-otel/internal/journal"
	"cbc-otel/internal/stream"
	"cbc-otel/internal/testdata"
	"cbc-otel/internal/traces"
	"cbc-otel/mapping"
)

// half maps the first lines of a recorded stream and returns the workflow that is open then.
func half(t *testing.T, capture string, lines int) mapping.Tree {
	t.Helper()
	c, err := testdata.Find(capture)
	must(t, err)
	all, err := c.Lines()
	must(t, err)
	m := mapping.New(mapping.Options{})
	var d stream.Decoder
	for _, line := range all[:min(lines, len(all))] {
		if e, verdict := d.Decode(line); verdict == stream.Decoded {
			e.Received = modified
			m.Observe(e)
		}
	}
	open := m.Open()
	if len(open) != 1 {
		t.Fatalf("%d open workflows after %d of %d lines", len(open), lines, len(all))
	}
	tree, _ := m.Snapshot(open[0], journal.OpenEnd)
	return tree
}

func TestJournals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := journal.Create(dir, journal.Header{Resource: journal.Attributes([]mapping.Attribute{{Key: "service.name", Value: "claude"}})}, journal.DefaultMaxBytes)
	must(t, err)
	t.Cleanup(func() { _ = w.Close() })
	open := half(t, "02-interrupt", 9)
	must(t, w.Append(journal.Changed(modified, open)))
	over := workflows(t, "01-success")[0]
	must(t, w.Append(journal.Changed(modified, over)))

	o, told := reading()
	o.Now = func() time.Time { return time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC) }
	got, err := traces.Journals(dir, o)
	must(t, err)
	if len(got) != 2 || len(*told) > 0 {
		t.Fatalf("%d traces, told %q", len(got), *told)
	}
	var live, done traces.Trace
	for _, tr := range got {
		if tr.Live {
			live = tr
		} else {
			done = tr
		}
	}
	if s := done.Summary(); s.Status != "completed" || s.Live || s.Agents != 6 {
		t.Errorf("the one that is over: %+v", s)
	}
	s := live.Summary()
	root := live.Tree.Spans[0]
	if !s.Live || s.Status != traces.Running || s.Command != "claude" || s.Failure != "" || root.Status.Error || !root.End.Equal(o.Now()) {
		t.Errorf("%+v", s)
	}
	states := map[string]int64{}
	for _, sp := range live.Tree.Spans {
		if sp.Kind == mapping.AgentSpan {
			states[sp.Text(mapping.KeyAgentState)]++
			if live.Open[sp.SpanID] != sp.End.Equal(o.Now()) {
				t.Errorf("%s ends at %v", sp.Name, sp.End)
			}
		}
	}
	if states["cancelled"]+states["unfinished"] > 0 || states[traces.Running] == 0 {
		t.Errorf("states %v", states)
	}
	for state, n := range states {
		if counted, _ := root.Int(mapping.PrefixWorkflowAgents + state); counted != n {
			t.Errorf("%s: %d counted, %d there", state, counted, n)
		}
	}
}

// A journal whose owner is gone is not live; one that was just written is not asked for its lock.
func TestJournalsOfTheDead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := journal.Create(dir, journal.Header{}, journal.DefaultMaxBytes)
	must(t, err)
	must(t, w.Append(journal.Changed(modified, half(t, "02-interrupt", 9))))
	long := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(w.Path(), long, long))
	if got, err := traces.Journals(dir, traces.Options{}); err != nil || len(got) != 1 {
		t.Errorf("alive: %d, %v", len(got), err)
	}
	before, err := traces.JournalStamp(dir)
	must(t, err)
	must(t, w.Close()) // with an open workflow: as after a kill, it stays
	if got, err := traces.Journals(dir, traces.Options{}); err != nil || len(got) != 0 {
		t.Errorf("dead: %d, %v", len(got), err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "1-0-x.journal"), []byte("{}\n"), 0o600))
	if after, err := traces.JournalStamp(dir); err != nil || after == before {
		t.Errorf("stamp %q after %q, %v", after, before, err)
	}
	o, told := reading()
	if got, err := traces.Journals(dir, o); err != nil || len(got) != 0 || len(*told) != 1 || (*told)[0] != "1-0-x.journal: format 0, this program reads 1" {
		t.Errorf("%d, %v, told %q", len(got), err, *told)
	}
	if got, err := traces.Journals(filepath.Join(dir, "no"), o); err != nil || len(got) != 0 {
		t.Errorf("%d, %v", len(got), err)
	}
}
