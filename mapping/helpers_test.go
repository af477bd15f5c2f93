package mapping

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
)

// base is when the streams in these tests begin. Times are given in milliseconds after it.
var base = time.UnixMilli(1796160000000).UTC()

func at(ms int64) time.Time { return base.Add(time.Duration(ms) * time.Millisecond) }

func n(v int64) Number { return Number{Value: v, Valid: true} }

func started(ms int64) Event {
	return Event{Kind: Started, Received: at(ms), TaskID: "t1", TaskType: "local_workflow", WorkflowName: "audit", SessionID: "s1"}
}

func snapshot(ms int64, agents ...Agent) Event {
	return Event{Kind: Progress, Received: at(ms), TaskID: "t1", Agents: agents}
}

func updated(ms int64, status string, end int64) Event {
	ev := Event{Kind: Updated, Received: at(ms), TaskID: "t1", Status: status}
	if end != 0 {
		ev.EndTime = at(end)
	}
	return ev
}

func notified(ms int64, status string) Event {
	return Event{Kind: Notified, Received: at(ms), TaskID: "t1", Status: status}
}

// running is an agent that started; done and errored are ended ones.
func running(index, start int64) Agent {
	return Agent{Index: index, State: "start", Label: fmt.Sprint("label:", index), StartedAt: at(start), LastProgressAt: at(start)}
}

func queued(index, when int64) Agent {
	return Agent{Index: index, State: "start", Label: fmt.Sprint("label:", index), QueuedAt: at(when), LastProgressAt: at(when)}
}

func done(index, start, end int64) Agent {
	a := running(index, start)
	a.State, a.LastProgressAt = "done", at(end)
	return a
}

func errored(index, start, end int64, text string) Agent {
	a := done(index, start, end)
	a.State, a.Error = "error", text
	return a
}

func inPhase(index int64, title string, a Agent) Agent {
	a.PhaseIndex, a.PhaseTitle = n(index), title
	return a
}

// single runs the events to the end of their stream and returns the only tree they give.
func single(t *testing.T, o Options, events ...Event) Tree {
	t.Helper()
	trees := run(o, events...)
	if len(trees) != 1 {
		t.Fatalf("%d trees, want 1", len(trees))
	}
	check(t, trees[0], o)
	return trees[0]
}

func root(tr Tree) Span { return tr.Spans[0] }

// agentSpan returns the span of the agent with that index.
func agentSpan(t *testing.T, tr Tree, index int64) Span { return find(t, tr, KeyAgentIndex, index) }

func phaseSpan(t *testing.T, tr Tree, index int64) Span { return find(t, tr, KeyPhaseIndex, index) }

func find(t *testing.T, tr Tree, key string, index int64) Span {
	t.Helper()
	i := slices.IndexFunc(tr.Spans, func(s Span) bool { return attr(s, key) == any(index) })
	if i < 0 {
		t.Fatalf("no span has %s = %d", key, index)
	}
	return tr.Spans[i]
}

// attr returns the attribute's value, nil without one.
func attr(s Span, key string) any {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value
		}
	}
	return nil
}

// wantAttrs compares some attributes; nil stands for none.
func wantAttrs(t *testing.T, s Span, want map[string]any) {
	t.Helper()
	for key, v := range want {
		got := attr(s, key)
		if list, ok := v.([]string); ok {
			if g, _ := got.([]string); !slices.Equal(g, list) {
				t.Errorf("%s: %s = %v, want %v", s.Name, key, got, v)
			}
			continue
		}
		if i, ok := v.(int); ok {
			v = int64(i)
		}
		if got != v {
			t.Errorf("%s: %s = %#v, want %#v", s.Name, key, got, v)
		}
	}
}

// wantTimes compares a span's times, in milliseconds after base.
func wantTimes(t *testing.T, s Span, start, end int64) {
	t.Helper()
	if !s.Start.Equal(at(start)) || !s.End.Equal(at(end)) {
		t.Errorf("%s: from %d to %d ms, want %d to %d", s.Name, s.Start.Sub(base).Milliseconds(),
			s.End.Sub(base).Milliseconds(), start, end)
	}
}

// wantStatus compares status and error.type; an empty kind is a status that is unset.
func wantStatus(t *testing.T, s Span, kind, description string) {
	t.Helper()
	got, _ := attr(s, KeyErrorType).(string)
	if got != kind || s.Status.Description != description || s.Status.Error != (kind != "") {
		t.Errorf("%s: %q %+v, want %q %q", s.Name, got, s.Status, kind, description)
	}
}

func equal(a, b any) bool { return reflect.DeepEqual(a, b) }
