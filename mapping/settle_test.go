package mapping

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// A run whose agents all ended never waits.
func TestSettledAtNotification(t *testing.T) {
	t.Parallel()
	for name, agents := range map[string][]Agent{
		"no agent":       nil,
		"done":           {done(1, 1, 2)},
		"error":          {errored(1, 1, 2, "x")},
		"cached":         {{Index: 1, State: "cached"}},
		"cached: true":   {{Index: 1, State: "done", Cached: true}},
		"all of several": {done(1, 1, 2), errored(2, 1, 2, "x")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := New(Options{Grace: time.Hour})
			m.Observe(started(0))
			if trees := m.Observe(snapshot(3, agents...)); len(trees) != 0 {
				t.Fatal("settled before the notification")
			}
			if trees := m.Observe(updated(4, "completed", 4)); len(trees) != 0 {
				t.Fatal("settled by a patch")
			}
			if trees := m.Observe(notified(5, "completed")); len(trees) != 1 {
				t.Fatal("not settled by the notification")
			}
			if _, waits := m.Deadline(); waits || len(m.Open()) != 0 {
				t.Error("still waits")
			}
			if trees := m.Close(End{}); len(trees) != 0 {
				t.Error("a tree came twice")
			}
		})
	}
}

func TestGrace(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T) *Mapper {
		t.Helper()
		m := New(Options{Grace: 5 * time.Second})
		m.Observe(started(0))
		m.Observe(snapshot(1, running(1, 1), queued(2, 1), Agent{Index: 3, State: "pondering"}))
		if trees := m.Observe(notified(100, "stopped")); len(trees) != 0 {
			t.Fatal("settled while agents run")
		}
		if d, ok := m.Deadline(); !ok || !d.Equal(at(5100)) {
			t.Fatalf("deadline %v, %v", d, ok)
		}
		return m
	}
	aborted := func(ms, index int64) Event {
		return snapshot(ms, errored(index, 1, 2, fmt.Sprint("subagent aborted: ", index)))
	}
	lateError := func(t *testing.T, tr Tree, index int64, want string) {
		t.Helper()
		if got := agentSpan(t, tr, index).Status.Description; got != want {
			t.Errorf("agent %d: %q, want %q", index, got, want)
		}
	}

	t.Run("over", func(t *testing.T) {
		t.Parallel()
		m := open(t)
		if trees := m.Advance(at(5099)); len(trees) != 0 {
			t.Error("settled early")
		}
		trees := m.Advance(at(5100))
		if len(trees) != 1 {
			t.Fatalf("%d trees after the grace period", len(trees))
		}
		wantTimes(t, root(trees[0]), 0, 100)
		if trees := m.Observe(aborted(5101, 1)); len(trees) != 0 || m.Stats().Late != 1 {
			t.Errorf("a late snapshot: %d trees, %+v", len(trees), m.Stats())
		}
	})
	t.Run("late errors", func(t *testing.T) {
		t.Parallel()
		m := open(t)
		m.Observe(aborted(200, 1))
		m.Observe(aborted(300, 2))
		trees := m.Observe(aborted(400, 3)) // the last one: nothing is left to wait for
		if len(trees) != 1 {
			t.Fatalf("%d trees when all have ended", len(trees))
		}
		lateError(t, trees[0], 1, "subagent aborted: 1")
		lateError(t, trees[0], 3, "subagent aborted: 3")
		wantTimes(t, agentSpan(t, trees[0], 1), 1, 100)
		if m.Stats().Late != 0 {
			t.Errorf("%+v", m.Stats())
		}
	})
	t.Run("some late errors", func(t *testing.T) {
		t.Parallel()
		m := open(t)
		m.Observe(aborted(200, 1))
		trees := m.Observe(aborted(5100, 3)) // settles first, then is late
		if len(trees) != 1 || m.Stats().Late != 1 {
			t.Fatalf("%d trees, %+v", len(trees), m.Stats())
		}
		lateError(t, trees[0], 1, "subagent aborted: 1")
		lateError(t, trees[0], 3, "")
	})
	t.Run("another event ends it", func(t *testing.T) {
		t.Parallel()
		m := open(t)
		if trees := m.Observe(Event{Kind: Initialized, Received: at(9000)}); len(trees) != 1 {
			t.Errorf("%d trees", len(trees))
		}
	})
	t.Run("EOF ends it", func(t *testing.T) {
		t.Parallel()
		m := open(t)
		trees := m.Close(End{At: at(150), Known: true, Code: 3})
		if len(trees) != 1 {
			t.Fatalf("%d trees at EOF", len(trees))
		}
		wantStatus(t, root(trees[0]), "cancelled", "stopped")
		if _, waits := m.Deadline(); waits {
			t.Error("waits after EOF")
		}
	})
	t.Run("a second notification does not prolong it", func(t *testing.T) {
		t.Parallel()
		m := open(t)
		m.Observe(notified(4000, "stopped"))
		if d, _ := m.Deadline(); !d.Equal(at(5100)) {
			t.Errorf("deadline %v", d)
		}
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		m := New(Options{})
		m.Observe(started(0))
		m.Observe(snapshot(1, running(1, 1)))
		if trees := m.Observe(notified(2, "stopped")); len(trees) != 1 {
			t.Errorf("%d trees without a grace period", len(trees))
		}
	})
}

// The wall clock may step; a grace period is a length of time.
func TestGraceSurvivesClockStep(t *testing.T) {
	t.Parallel()
	m := New(Options{Grace: time.Minute})
	now := monotonic(t)
	begin, snap, end := started(0), snapshot(1, running(1, 1)), notified(2, "stopped")
	begin.Received, snap.Received, end.Received = now, now, now
	m.Observe(begin)
	m.Observe(snap)
	m.Observe(end)
	if trees := m.Advance(now.Add(59 * time.Second)); len(trees) != 0 {
		t.Error("settled early")
	}
	if trees := m.Advance(now.Add(time.Minute)); len(trees) != 1 {
		t.Error("not settled")
	}
}

func monotonic(t *testing.T) time.Time {
	t.Helper()
	return time.Now() // has a monotonic reading; it is not looked at otherwise
}

// Of several grace periods the first to end is the next deadline, whatever the order of the notifications' stamps.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	m := New(Options{Grace: 10 * time.Millisecond})
	for i, id := range []string{"a", "b", "c"} {
		begin, snap, end := started(0), snapshot(0, running(1, 0)), notified([]int64{9, 3, 6}[i], "stopped")
		begin.TaskID, snap.TaskID, end.TaskID = id, id, id
		m.Observe(begin)
		m.Observe(snap)
		m.Observe(end)
	}
	if d, ok := m.Deadline(); !ok || !d.Equal(at(13)) {
		t.Errorf("deadline %v", d)
	}
	if got := m.Open(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("open: %v", got)
	}
	var got []string
	for _, tr := range m.Advance(at(16)) {
		got = append(got, tr.TaskID)
	}
	if !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("settled %v", got)
	}
	if got := m.Open(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("open: %v", got)
	}
}

func TestReplayGrace(t *testing.T) {
	t.Parallel()
	late := errored(1, 10, 6000, "subagent aborted: x")
	for name, test := range map[string]struct {
		events []Event
		late   int
	}{
		"inside":  {[]Event{started(0), snapshot(0, running(1, 10)), updated(0, "killed", 2000), notified(0, "stopped"), snapshot(0, late)}, 0},
		"outside": {[]Event{started(0), snapshot(0, running(1, 10)), updated(0, "killed", 900), notified(0, "stopped"), snapshot(0, late)}, 1},
		"stamps":  {[]Event{started(0), snapshot(0, running(1, 10)), stamped(notified(0, "stopped"), 900), stamped(snapshot(0, late), 1000)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := New(Options{Grace: 5 * time.Second})
			trees := 0
			for _, ev := range unread(test.events...) {
				trees += len(m.Observe(ev))
			}
			if trees != 1 || m.Stats().Late != test.late {
				t.Errorf("%d trees, %+v", trees, m.Stats())
			}
		})
	}
}

func TestStrayEvents(t *testing.T) {
	t.Parallel()
	bash := started(0)
	bash.TaskType, bash.TaskID = "local_bash", "b1"
	nameless := started(0)
	nameless.TaskID = ""
	m := New(Options{})
	for _, ev := range []Event{
		notified(0, "stopped"), // before any start, as after --resume
		bash,
		{Kind: Progress, TaskID: "b1", Agents: []Agent{running(1, 1)}},
		{Kind: Updated, TaskID: "b1", Status: "completed"},
		{Kind: Notified, TaskID: "b1", Status: "completed"},
		nameless,
		{Kind: Launched, TaskID: "nobody", RunID: "wf_1"},
		{Kind: 99, TaskID: "t1"},
		{},
	} {
		if trees := m.Observe(ev); len(trees) != 0 {
			t.Errorf("%+v gave a tree", ev)
		}
	}
	if trees := m.Close(End{}); len(trees) != 0 {
		t.Errorf("%d trees", len(trees))
	}
	if want := (Stats{Unknown: 5}); m.Stats() != want {
		t.Errorf("%+v, want %+v", m.Stats(), want)
	}
}

func TestStats(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	for _, ev := range []Event{
		started(0),
		{Kind: Progress, TaskID: "t1", Phases: []Phase{{Index: 1, Title: "A"}, {Index: 2, Title: "B"}},
			Agents: []Agent{inPhase(1, "A", done(1, 1, 2)), done(2, 1, 2)}},
		notified(5, "completed"),
		snapshot(6, done(1, 1, 2)),
		updated(7, "completed", 7),
		notified(8, "completed"),
	} {
		m.Observe(ev)
	}
	if want := (Stats{Workflows: 1, Phases: 1, Agents: 2, Late: 1}); m.Stats() != want {
		t.Errorf("%+v, want %+v", m.Stats(), want)
	}
}

// Two workflows at once use the same labels and indexes.
func TestConcurrentWorkflows(t *testing.T) {
	t.Parallel()
	other := func(ev Event) Event {
		ev.TaskID = "t2"
		return ev
	}
	trees := run(Options{},
		started(0), other(started(1)),
		snapshot(2, inPhase(1, "A", running(1, 2))), other(snapshot(3, inPhase(1, "Z", errored(1, 3, 4, "x")))),
		other(notified(5, "completed")),
		snapshot(6, inPhase(1, "A", done(1, 2, 6))), notified(7, "completed"))
	if len(trees) != 2 || trees[0].TaskID != "t2" || trees[1].TaskID != "t1" {
		t.Fatalf("%d trees", len(trees))
	}
	for _, tr := range trees {
		check(t, tr, Options{})
	}
	wantAttrs(t, agentSpan(t, trees[0], 1), map[string]any{KeyAgentState: "error"})
	wantAttrs(t, agentSpan(t, trees[1], 1), map[string]any{KeyAgentState: "done"})
	wantAttrs(t, phaseSpan(t, trees[0], 1), map[string]any{KeyPhaseTitle: "Z"})
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	if _, ok := m.Snapshot("t1", time.Time{}); ok {
		t.Error("a tree of nothing")
	}
	m.Observe(started(0))
	m.Observe(snapshot(5, inPhase(1, "A", running(1, 2)), done(2, 1, 4)))
	first, ok := m.Snapshot("t1", time.Time{})
	if !ok {
		t.Fatal("no tree")
	}
	check(t, first, Options{})
	wantStatus(t, root(first), "interrupted", "stream ended")
	wantTimes(t, root(first), 0, 5)
	if second, _ := m.Snapshot("t1", time.Time{}); !equal(first, second) {
		t.Error("looking changed the workflow")
	}
	later, _ := m.Snapshot("t1", at(80))
	wantTimes(t, root(later), 0, 80)
	wantTimes(t, agentSpan(t, later, 1), 2, 80)
	wantTimes(t, agentSpan(t, later, 2), 1, 4)
	closed := m.Close(End{})
	if len(closed) != 1 || !equal(closed[0], first) {
		t.Error("the stream's end gave another tree")
	}
	if m.Stats().Workflows != 1 {
		t.Errorf("%+v", m.Stats())
	}
}

func TestUsageOfTheNotificationStays(t *testing.T) {
	late := snapshot(3000, errored(1, 10, 2900, "subagent aborted: user"))
	late.Usage = Usage{TotalTokens: n(7), ToolUses: n(7)}
	for name, test := range map[string]struct {
		usage Usage
		want  int64
	}{
		"with usage":    {Usage{TotalTokens: n(100)}, 100},
		"without usage": {Usage{}, 7},
	} {
		t.Run(name, func(t *testing.T) {
			end := notified(2000, "stopped")
			end.Usage = test.usage
			tr := single(t, Options{Grace: 5 * time.Second}, started(0), snapshot(100, running(1, 10)), end, late)
			for _, a := range root(tr).Attributes {
				if a.Key == KeyUsageTokens && a.Value != test.want {
					t.Errorf("%v tokens, want %d", a.Value, test.want)
				}
				if a.Key == KeyUsageToolUses && test.want == 100 {
					t.Error("tool uses of a late snapshot")
				}
			}
			if s := agentSpan(t, tr, 1); s.Status.Description != "subagent aborted: user" {
				t.Errorf("the late snapshot was not taken: %+v", s.Status)
			}
		})
	}
}

func TestStatusEventsTakeTheLinesOwnTime(t *testing.T) {
	ev := updated(900, "completed", 0)
	ev.Timestamp = at(500)
	tr := single(t, Options{}, started(0), snapshot(100, done(1, 10, 90)), ev, notified(950, "completed"))
	if got := root(tr).Events[0].Time; !got.Equal(at(500)) {
		t.Errorf("at %v, want %v", got, at(500))
	}
}
