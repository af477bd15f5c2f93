// Package insight says what a workflow's time went into: how parallel it was, what waited, and which agents decided
// how long it took. It looks at a finished tree and nothing else.
package insight

import (
	"time"

	"cbc-otel/mapping"
)

// Workflow is what a whole tree says. Times of agents are sums over agents, so they may exceed Wall.
type Workflow struct {
	Wall        time.Duration    // of the workflow's span
	Active      time.Duration    // agents' time from their start to their end
	Queued      time.Duration    // agents' time between being queued and their start
	Concurrency int              // most agents active at once
	Efficiency  float64          // Active / (Wall × Concurrency), 0 to 1; 0 if nothing ran
	Critical    []mapping.SpanID // agents of the critical path, in order of time
	Phases      []Phase          // in the order of the tree
}

// Phase is the same for one phase.
type Phase struct {
	SpanID               mapping.SpanID
	Title                string
	Wall, Active, Queued time.Duration
	Concurrency          int
	Efficiency           float64
	Critical             mapping.SpanID   // its agent that ends last; zero if none ran
	Stragglers           []mapping.SpanID // in the order of the tree; see [stragglers]
	Tokens               int64            // 0 also if none are known
}

// Of looks at a tree, whose first span is the workflow's. Spans of other kinds than workflow, phase and agent do not
// count. An empty tree has the zero Workflow.
func Of(t mapping.Tree) Workflow {
	if len(t.Spans) == 0 {
		return Workflow{}
	}
	root := &t.Spans[0]
	w := Workflow{Wall: wall(root)}
	phases := phasesOf(t)
	all := make([]agent, 0, len(t.Spans))
	inside := make([][]agent, len(phases.spans))
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.Kind != mapping.AgentSpan {
			continue
		}
		a := newAgent(s)
		all = append(all, a)
		if p, ok := phases.of(s); ok {
			inside[p] = append(inside[p], a)
		}
	}
	w.Active, w.Queued = sums(all)
	w.Concurrency = concurrency(all)
	w.Efficiency = efficiency(w.Active, w.Wall, w.Concurrency)
	w.Critical = criticalPath(all)
	for i, s := range phases.spans {
		w.Phases = append(w.Phases, phase(s, inside[i]))
	}
	return w
}

func phase(s *mapping.Span, agents []agent) Phase {
	p := Phase{SpanID: s.SpanID, Title: title(s), Wall: wall(s)}
	p.Active, p.Queued = sums(agents)
	p.Concurrency = concurrency(agents)
	p.Efficiency = efficiency(p.Active, p.Wall, p.Concurrency)
	if last := latest(agents); last != nil {
		p.Critical = last.span.SpanID
	}
	p.Stragglers = stragglers(agents)
	known := false
	if p.Tokens, known = mapping.Tokens(s); !known {
		for _, a := range agents {
			n, _ := mapping.Tokens(a.span)
			p.Tokens += n
		}
	}
	return p
}

func wall(s *mapping.Span) time.Duration { return max(s.End.Sub(s.Start), 0) }

func title(s *mapping.Span) string {
	if t := s.Text(mapping.KeyPhaseTitle); t != "" {
		return t
	}
	return s.Name
}

func sums(agents []agent) (active, queued time.Duration) {
	for _, a := range agents {
		active += a.active()
		queued += Wait(a.span)
	}
	return active, queued
}

// efficiency is the part of the slots' time that agents used. A file may hold agents that outlast their phase.
func efficiency(active, wall time.Duration, slots int) float64 {
	if active <= 0 || wall <= 0 || slots == 0 {
		return 0
	}
	return min(float64(active)/(float64(wall)*float64(slots)), 1)
}

// phasesOf finds the phase of each agent, also if there are other spans in between.
func phasesOf(t mapping.Tree) phaseIndex {
	x := phaseIndex{place: map[mapping.SpanID]int{}, parent: make(map[mapping.SpanID]mapping.SpanID, len(t.Spans))}
	for i := range t.Spans {
		s := &t.Spans[i]
		x.parent[s.SpanID] = s.ParentID
		if s.Kind == mapping.PhaseSpan {
			x.place[s.SpanID] = len(x.spans)
			x.spans = append(x.spans, s)
		}
	}
	return x
}

type phaseIndex struct {
	spans  []*mapping.Span
	place  map[mapping.SpanID]int // in spans
	parent map[mapping.SpanID]mapping.SpanID
}

// maxDepth bounds the way up from an agent: a file may hold spans that are their own ancestors.
const maxDepth = 64

func (x phaseIndex) of(s *mapping.Span) (int, bool) {
	id, known := s.ParentID, true
	for depth := 0; known && depth < maxDepth; depth++ {
		if p, ok := x.place[id]; ok {
			return p, true
		}
		id, known = x.parent[id]
	}
	return 0, false
}
