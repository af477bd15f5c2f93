package insight

import (
	"cmp"
	"slices"
	"time"

	"cbc-otel/mapping"
)

// agent is an agent's span and whether it ran at all.
type agent struct {
	span *mapping.Span
	ran  bool
}

func newAgent(s *mapping.Span) agent { return agent{s, ran(s)} }

// ran is false for an agent that never started, or was answered from a cache. Where rules took the attributes away,
// all of them ran.
func ran(s *mapping.Span) bool {
	started, known := s.Value(mapping.KeyAgentStarted).(bool)
	return (started || !known) && !cached(s)
}

func cached(s *mapping.Span) bool { return s.Text(mapping.KeyAgentState) == "cached" }

func (a agent) active() time.Duration {
	if !a.ran {
		return 0
	}
	return wall(a.span)
}

// Wait is how long the agent of a span waited for its start: right before it or, if it never started, for as long as
// the span lasts. One that was answered from a cache waited for nothing.
func Wait(s *mapping.Span) time.Duration {
	switch {
	case cached(s):
		return 0
	case !ran(s):
		return wall(s)
	}
	ms, _ := s.Int(mapping.KeyAgentQueue)
	return time.Duration(min(max(ms, 0), maxWait)) * time.Millisecond
}

// maxWait bounds what a file may claim, in milliseconds: a year.
const maxWait = 366 * 24 * 3600 * 1000

// concurrency returns how many agents were active at once, at most. One that ends when another starts made room
// for it.
func concurrency(agents []agent) int {
	type edge struct {
		at   time.Time
		step int
	}
	edges := make([]edge, 0, 2*len(agents))
	atLeast := 0
	for _, a := range agents {
		switch {
		case !a.ran:
		case wall(a.span) == 0:
			atLeast = 1 // too short to overlap
		default:
			edges = append(edges, edge{a.span.Start, 1}, edge{a.span.End, -1})
		}
	}
	slices.SortFunc(edges, func(x, y edge) int { return cmp.Or(x.at.Compare(y.at), cmp.Compare(x.step, y.step)) })
	now, most := 0, atLeast
	for _, e := range edges {
		now += e.step
		most = max(most, now)
	}
	return most
}

// latest returns the agent that ends last, of several the one that ran longest; nil if none ran.
func latest(agents []agent) *agent {
	var last *agent
	for i := range agents {
		a := &agents[i]
		if a.ran && (last == nil || later(*a, *last)) {
			last = a
		}
	}
	return last
}

func later(a, b agent) bool {
	return cmp.Or(a.span.End.Compare(b.span.End), cmp.Compare(a.active(), b.active())) > 0
}

// criticalPath goes back from the agent that ends last: what it waited for, its input or a free slot, is the agent
// that ended last before it started.
func criticalPath(agents []agent) []mapping.SpanID {
	sorted := make([]agent, 0, len(agents))
	for _, a := range agents {
		if a.ran {
			sorted = append(sorted, a)
		}
	}
	slices.SortStableFunc(sorted, func(a, b agent) int {
		// Of several that end together the one that ran longest is last, and the first in the tree of equal ones.
		return cmp.Or(a.span.End.Compare(b.span.End), cmp.Compare(a.active(), b.active()))
	})
	var path []mapping.SpanID
	for n := len(sorted); n > 0; {
		at := firstOfEqual(sorted[:n])
		path = append(path, sorted[at].span.SpanID)
		start := sorted[at].span.Start
		n, _ = slices.BinarySearchFunc(sorted[:at], start, func(a agent, start time.Time) int {
			if a.span.End.After(start) {
				return 1
			}
			return -1
		})
	}
	slices.Reverse(path)
	return path
}

// firstOfEqual returns the place of the first of those at the end that end and start together.
func firstOfEqual(sorted []agent) int {
	at := len(sorted) - 1
	for at > 0 && !later(sorted[at], sorted[at-1]) {
		at--
	}
	return at
}

// Bounds of stragglers: of so many agents, those that took so much longer than the one in the middle.
const (
	stragglersOf    = 4
	stragglerFactor = 2
	stragglerExcess = time.Second
)

// stragglers returns the agents of a phase that ran more than twice as long as the median, and more than a second
// longer. With fewer than four agents there is no usual length.
func stragglers(agents []agent) []mapping.SpanID {
	var lengths []time.Duration
	for _, a := range agents {
		if a.ran {
			lengths = append(lengths, a.active())
		}
	}
	if len(lengths) < stragglersOf {
		return nil
	}
	slices.Sort(lengths)
	usual := lengths[len(lengths)/2]
	var slow []mapping.SpanID
	for _, a := range agents {
		if d := a.active(); d > stragglerFactor*usual && d > usual+stragglerExcess {
			slow = append(slow, a.span.SpanID)
		}
	}
	return slow
}
