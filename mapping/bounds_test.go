package mapping

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// heap returns the bytes that are reachable after f, less those before.
func heap(f func()) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// Not parallel: it measures memory.
func TestMemoryIsBounded(t *testing.T) {
	for name, test := range map[string]struct {
		limit int64
		feed  func(*Mapper)
	}{
		"unknown tasks": {1 << 20, func(m *Mapper) {
			ev := Event{Kind: Progress, Agents: []Agent{running(1, 1)}}
			for i := range 1_000_000 {
				ev.TaskID = "unknown-" + strconv.Itoa(i)
				m.Observe(ev)
			}
		}},
		"other task types": {1 << 20, func(m *Mapper) {
			for i := range 100_000 {
				m.Observe(Event{Kind: Started, TaskType: "local_bash", TaskID: strconv.Itoa(i)})
			}
		}},
		"settled workflows": {1 << 20, func(m *Mapper) {
			for i := range 20_000 {
				id := strconv.Itoa(i)
				m.Observe(Event{Kind: Started, TaskType: "local_workflow", TaskID: id})
				m.Observe(Event{Kind: Notified, TaskID: id, Status: "completed"})
			}
		}},
		"open workflows": {16 << 20, func(m *Mapper) {
			for i := range 100_000 {
				m.Observe(Event{Kind: Started, TaskType: "local_workflow", TaskID: strconv.Itoa(i)})
			}
		}},
		"attempts and statuses": {1 << 20, func(m *Mapper) {
			m.Observe(started(0))
			for i := range int64(20_000) {
				m.Observe(snapshot(1, attempt(running(1, 1), i, "stalled")))
				m.Observe(updated(1, "running", 0))
			}
		}},
		"long texts": {1 << 20, func(m *Mapper) {
			m.Observe(started(0))
			for i := range int64(6) {
				long := strings.Repeat("x", 1<<20)
				m.Observe(snapshot(1, Agent{Index: i, ID: long, Label: long, Model: long, Error: long, PromptPreview: long, ResultPreview: long, LastTool: long}))
			}
		}},
		"long ids": {1 << 20, func(m *Mapper) {
			for i := range 10 {
				ev := started(0)
				ev.TaskID = strconv.Itoa(i) + strings.Repeat("x", 1<<20)
				m.Observe(ev)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := New(Options{})
			if used := heap(func() { test.feed(m) }); used > test.limit {
				t.Errorf("%d bytes are kept, want at most %d", used, test.limit)
			}
			runtime.KeepAlive(m)
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	t.Run("agents", func(t *testing.T) {
		t.Parallel()
		m := New(Options{})
		m.Observe(started(0))
		var agents []Agent
		for i := range int64(maxAgents + 5) {
			agents = append(agents, Agent{Index: i, State: "done"})
		}
		m.Observe(snapshot(1, agents...))
		trees := m.Observe(notified(2, "completed"))
		if len(trees) != 1 || len(trees[0].Spans) != maxAgents+1 || m.Stats().Refused != 5 {
			t.Errorf("%d trees, %+v", len(trees), m.Stats())
		}
	})
	t.Run("agents of all", func(t *testing.T) {
		t.Parallel()
		m := New(Options{})
		many := make([]Agent, maxAgents)
		for i := range many {
			many[i] = Agent{Index: int64(i), State: "done"}
		}
		n := maxOpenAgents/maxAgents + 1
		for i := range n {
			m.Observe(Event{Kind: Started, TaskType: "local_workflow", TaskID: strconv.Itoa(i)})
			ev := snapshot(1, many...)
			ev.TaskID = strconv.Itoa(i)
			m.Observe(ev)
		}
		spans := 0
		for _, tree := range m.Close(End{}) {
			spans += len(tree.Spans)
		}
		if want := maxOpenAgents + n; spans != want || m.Stats().Refused != maxAgents || m.agents != 0 {
			t.Errorf("%d spans, want %d; %d agents left, %+v", spans, want, m.agents, m.Stats())
		}
	})
	t.Run("phases", func(t *testing.T) {
		t.Parallel()
		m := New(Options{})
		m.Observe(started(0))
		var agents []Agent
		for i := range int64(maxPhases + 5) {
			agents = append(agents, inPhase(i, "P", done(i, 1, 2)))
		}
		m.Observe(snapshot(1, agents...))
		trees := m.Observe(notified(2, "completed"))
		if len(trees) != 1 || m.Stats().Phases != maxPhases || m.Stats().Agents != maxPhases+5 || m.Stats().Refused != 5 {
			t.Fatalf("%d trees, %+v", len(trees), m.Stats())
		}
		check(t, trees[0], Options{})
	})
	t.Run("workflows", func(t *testing.T) {
		t.Parallel()
		m := New(Options{})
		for i := range maxOpen + 5 {
			m.Observe(Event{Kind: Started, TaskType: "local_workflow", TaskID: strconv.Itoa(i)})
		}
		if trees := m.Close(End{}); len(trees) != maxOpen || m.Stats().Refused != 5 {
			t.Errorf("%d trees, %+v", len(trees), m.Stats())
		}
	})
	t.Run("task ids", func(t *testing.T) {
		t.Parallel()
		m := New(Options{})
		ev := started(0)
		ev.TaskID = strings.Repeat("x", maxID+1)
		m.Observe(ev)
		if trees := m.Close(End{}); len(trees) != 0 || m.Stats().Refused != 1 {
			t.Errorf("%d trees, %+v", len(trees), m.Stats())
		}
	})
}
