package mapping

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"testing"
)

func sum(text string) [32]byte { return sha256.Sum256([]byte(text)) }

func TestIDs(t *testing.T) {
	t.Parallel()
	tr := single(t, Options{}, started(0), snapshot(1, inPhase(2, "P", done(7, 1, 2))), notified(9, "completed"))
	trace := sum("cbc-otel/1\x00s1\x00t1")
	if got := root(tr).TraceID; got != TraceID(trace[:16]) {
		t.Errorf("trace id %x", got)
	}
	for i, place := range []string{"workflow", "phase2", "agent7"} {
		id := sum("cbc-otel/1\x00" + hex.EncodeToString(trace[:16]) + "\x00s1\x00t1\x00" + place)
		if got := tr.Spans[i].SpanID; got != SpanID(id[:8]) {
			t.Errorf("%s: span id %x", place, got)
		}
	}
}

// Ids depend on nothing but the session, the task and the place.
func TestIDsAreStable(t *testing.T) {
	t.Parallel()
	ids := func(tr Tree) (all []SpanID) {
		for _, s := range tr.Spans {
			all = append(all, s.SpanID)
		}
		return all
	}
	a := single(t, Options{}, started(0), snapshot(1, running(1, 1), done(2, 1, 2)))
	b := single(t, Options{Content: true}, started(500), snapshot(900, done(2, 3, 4)), snapshot(901, errored(1, 1, 2, "x")), notified(990, "failed"))
	if !equal(ids(a), ids(b)) {
		t.Errorf("%x and %x", ids(a), ids(b))
	}
}

func TestStartedAgain(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	seen := map[SpanID]bool{}
	for run := 1; run <= 3; run++ {
		m.Observe(started(0))
		m.Observe(started(1)) // of an open one: nothing
		m.Observe(snapshot(1, inPhase(1, "P", done(1, 1, 2))))
		trees := m.Observe(notified(2, "completed"))
		if len(trees) != 1 {
			t.Fatalf("run %d: %d trees", run, len(trees))
		}
		check(t, trees[0], Options{})
		for _, s := range trees[0].Spans {
			if seen[s.SpanID] {
				t.Errorf("run %d: %s has an id of an earlier run", run, s.Name)
			}
			seen[s.SpanID] = true
		}
		if run > 1 {
			want := sum("cbc-otel/1\x00s1\x00t1\x00" + strconv.Itoa(run))
			if got := root(trees[0]).TraceID; got != TraceID(want[:16]) {
				t.Errorf("run %d: trace id %x", run, got)
			}
		}
	}
	// In the grace period the id is still open.
	m = New(Options{Grace: 1e9})
	m.Observe(started(0))
	m.Observe(snapshot(1, running(1, 1)))
	m.Observe(notified(2, "stopped"))
	m.Observe(started(3))
	if trees := m.Close(End{}); len(trees) != 1 {
		t.Errorf("%d trees", len(trees))
	}
}

func TestSettledAreRemembered(t *testing.T) {
	t.Parallel()
	var s settled
	for i := range maxSettled {
		s.add(strconv.Itoa(i), 1)
	}
	s.add("0", 2) // the newest now
	if s.run("0") != 2 || s.run("1") != 1 || s.run("x") != 0 {
		t.Errorf("runs %d, %d, %d", s.run("0"), s.run("1"), s.run("x"))
	}
	s.add("new", 1)
	if s.run("1") != 0 || s.run("0") != 2 || s.run("2") != 1 || s.run("new") != 1 {
		t.Error("not the oldest was forgotten")
	}
	if len(s.runs) != maxSettled || len(s.order) != maxSettled {
		t.Errorf("%d, %d are remembered", len(s.runs), len(s.order))
	}
}
