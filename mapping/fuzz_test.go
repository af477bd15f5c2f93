package mapping

import (
	"strings"
	"testing"
	"time"
)

// source makes events of arbitrary bytes. When they are used up it gives zeros.
type source struct{ data []byte }

func (s *source) byte() byte {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return b
}

func (s *source) of(all ...string) string { return all[int(s.byte())%len(all)] }

func (s *source) text() string {
	switch b := s.byte(); b % 8 {
	case 0, 1:
		return ""
	case 2:
		return strings.Repeat("long\n", int(b)*100)
	case 3:
		return s.of("API Error: 529", "timeout", "stalled", "subagent aborted: x", "\x1b[31mred", "x (retry 1)", "\u202e", "\xed\xa0\xbd")
	}
	n := min(int(s.byte())%32, len(s.data))
	raw := s.data[:n]
	s.data = s.data[n:]
	return string(raw)
}

func (s *source) time() time.Time {
	switch b := s.byte(); b % 8 {
	case 0:
		return time.Time{}
	case 1:
		return time.UnixMilli(int64(s.byte()) << (b / 4))
	case 2:
		return time.Unix(endSecond-1, 999)
	case 3:
		return base.Add(-time.Hour)
	}
	return at(int64(s.byte()) * int64(s.byte()))
}

func (s *source) number() Number {
	b := s.byte()
	return Number{Value: int64(int8(b)) << (s.byte() % 60), Valid: b%4 != 0}
}

func (s *source) event() Event {
	ev := Event{
		Kind:      EventKind(s.byte() % 8),
		Received:  s.time(),
		TaskID:    s.of("t1", "t2", "t3", ""),
		SessionID: s.of("s1", "s2", ""),
	}
	switch ev.Kind {
	case Started:
		ev.TaskType = s.of("local_workflow", "local_workflow", "local_workflow", "local_bash")
		ev.Timestamp, ev.WorkflowName, ev.Description, ev.Script, ev.ToolUseID = s.time(), s.text(), s.text(), s.text(), s.text()
	case Launched:
		ev.RunID = s.text()
	case Progress:
		ev.Timestamp, ev.Summary = s.time(), s.text()
		ev.Usage = Usage{s.number(), s.number(), s.number()}
		for range s.byte() % 4 {
			ev.Phases = append(ev.Phases, Phase{int64(s.byte() % 4), s.text(), s.of("", "child")})
		}
		for range s.byte() % 6 {
			ev.Agents = append(ev.Agents, s.agent())
		}
	case Updated:
		ev.Status, ev.EndTime, ev.Error = s.of("running", "completed", "failed", "killed", "paused", "x", ""), s.time(), s.text()
	case Notified:
		ev.Status, ev.Summary, ev.Usage = s.of("completed", "failed", "stopped", "killed", "", "x"), s.text(), Usage{s.number(), s.number(), s.number()}
	}
	return ev
}

func (s *source) agent() Agent {
	return Agent{
		Index: int64(s.byte()%8) - 1, ID: s.text(), Label: s.text(), Cached: s.byte()%8 == 0,
		State: s.of("start", "done", "error", "cached", "progress", "", "x"), PhaseIndex: s.number(), PhaseTitle: s.text(),
		Model: s.text(), Type: s.text(), PromptPreview: s.text(), ResultPreview: s.text(), Error: s.text(),
		EndedWithRun: s.of("", "", "stopped", "completed", "failed", "x"), LastTool: s.text(), RetryReason: s.text(),
		QueuedAt: s.time(), StartedAt: s.time(), EndedAt: s.time(), LastProgressAt: s.time(),
		Attempt: s.number(), Tokens: s.number(), ToolCalls: s.number(), DurationMS: s.number(),
	}
}

func (s *source) options() Options {
	b := s.byte()
	o := Options{
		Content: b&1 != 0, Grace: time.Duration(b&2) * time.Second,
		ParentMode: s.of("child", "link", "ignore", ""), AgentNames: s.of("label", "type", "none", ""), ErrorText: s.of("text", "type", ""),
	}
	if b&4 != 0 {
		o.Parent = SpanContext{TraceID: TraceID{1}, SpanID: SpanID{2}}
	}
	if b&8 != 0 {
		o.Redact = func(s string) string { return strings.ReplaceAll(s, "long", "\x1b[1m\xff") }
	}
	if b&16 != 0 {
		o.Origin = at(0)
	}
	return o
}

// Whatever comes, each workflow that started gives one closed tree with valid values and one span for each agent
// index that was seen while it was open.
func FuzzMapper(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte("\x00\x00\x00\x00\x02\x04\x01\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, second := feed(t, data), feed(t, data)
		if !equal(first, second) {
			t.Error("the same events gave other trees")
		}
	})
}

func feed(t *testing.T, data []byte) []Tree {
	s := &source{data}
	o := s.options()
	m := New(o)
	seen := map[string]map[int64]bool{} // indexes by open task
	ids := map[SpanID]bool{}
	var all []Tree
	take := func(trees []Tree) {
		for _, tr := range trees {
			check(t, tr, o)
			agents := 0
			for _, sp := range tr.Spans {
				if ids[sp.SpanID] {
					t.Errorf("the id of %s is used twice", sp.Name)
				}
				ids[sp.SpanID] = true
				if sp.Kind == AgentSpan {
					agents++
				}
			}
			if want, open := seen[tr.TaskID]; !open || agents != len(want) {
				t.Errorf("%s: %d agents, want %d; open %v", tr.TaskID, agents, len(want), open)
			}
			delete(seen, tr.TaskID)
		}
		all = append(all, trees...)
	}
	for range 200 {
		if len(s.data) == 0 {
			break
		}
		ev := s.event()
		late := m.Stats().Late
		settledBefore := m.Stats().Workflows
		trees := m.Observe(ev)
		switch indexes, open := seen[ev.TaskID]; {
		case ev.Kind == Progress && open && m.Stats().Late == late:
			for _, a := range ev.Agents {
				indexes[a.Index] = true
			}
		case ev.Kind == Started && ev.TaskType == "local_workflow" && ev.TaskID != "":
			// A tree of the same task that comes with its new start is that of the run before.
			if open && m.Stats().Workflows > settledBefore {
				take(trees)
				trees = nil
			}
			if seen[ev.TaskID] == nil {
				seen[ev.TaskID] = map[int64]bool{}
			}
		}
		take(trees)
		if len(m.Open()) != len(seen) {
			t.Fatalf("open: %v, want %d", m.Open(), len(seen))
		}
	}
	var before []Tree
	for _, id := range m.Open() {
		tr, _ := m.Snapshot(id, time.Time{})
		before = append(before, tr)
	}
	closed := m.Close(End{})
	if !equal(before, closed) {
		t.Error("the trees at the end are not those a look showed")
	}
	take(closed)
	if len(seen) != 0 || m.Stats().Workflows != len(all) {
		t.Errorf("%d left open, %+v", len(seen), m.Stats())
	}
	return all
}
