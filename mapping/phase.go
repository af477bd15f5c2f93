package mapping

import (
	"cmp"
	"slices"
)

// phase is a phase that was listed, or that an agent named.
type phase struct {
	index       int64
	title, kind string
	listed      bool
}

func (b *builder) sortedPhases() []*phase {
	all := make([]*phase, 0, len(b.w.phases))
	for _, p := range b.w.phases {
		all = append(all, p)
	}
	slices.SortFunc(all, func(p, q *phase) int { return cmp.Compare(p.index, q.index) })
	return all
}

// phases makes the spans below the workflow's: each phase that has an agent with its agents, then the agents outside
// any phase.
func (b *builder) phases(workflow SpanID) (spans []Span, all counts) {
	inside := make(map[int64][]*agent, len(b.w.phases))
	var outside []*agent
	for _, a := range b.sortedAgents() {
		if a.inPhase {
			inside[a.phase] = append(inside[a.phase], a)
		} else {
			outside = append(outside, a)
		}
	}
	all = newCounts()
	spans = make([]Span, 0, len(b.w.agents)+len(inside))
	for _, p := range b.sortedPhases() {
		agents := inside[p.index]
		if len(agents) == 0 {
			continue
		}
		at := len(spans)
		spans = append(spans, Span{SpanID: b.ids.phase(p.index)})
		n := newCounts()
		ran := interval{start: b.ran.end, end: b.ran.start}
		for _, a := range agents {
			i := b.agent(&spans, a, spans[at].SpanID, &n, &all)
			ran.start, ran.end = min(ran.start, i.start), max(ran.end, i.end)
		}
		b.phase(&spans[at], p, workflow, ran, n)
	}
	for _, a := range outside {
		n := newCounts()
		b.agent(&spans, a, workflow, &n, &all)
	}
	return spans, all
}

func (b *builder) sortedAgents() []*agent {
	all := make([]*agent, len(b.w.agents))
	for i := range b.w.agents {
		all[i] = &b.w.agents[i]
	}
	slices.SortFunc(all, func(x, y *agent) int { return cmp.Compare(x.index, y.index) })
	return all
}

func (b *builder) phase(s *Span, p *phase, workflow SpanID, ran interval, n counts) {
	f := phaseFailure(n)
	*s = Span{
		Kind: PhaseSpan, TraceID: b.trace, SpanID: s.SpanID, ParentID: workflow,
		Name:  spanName("phase", b.full(p.title)),
		Start: ran.start.time(), End: ran.end.time(),
		Status: f.status(),
	}
	list := []Attribute{{KeyPhaseIndex, p.index}}
	list = text(list, KeyPhaseTitle, b.name(p.title))
	list = text(list, KeyPhaseKind, b.name(p.kind))
	list = n.attributes(list, PrefixPhaseAgents)
	list = count(list, KeyPhaseTokens, n.tokens)
	s.Attributes = text(list, KeyErrorType, f.kind)
}
