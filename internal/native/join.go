package native

import (
	"cmp"
	"slices"
	"time"

	"cbc-otel/mapping"
)

// Joined is a tree with what belongs to it.
type Joined struct {
	Tree mapping.Tree
	Used []*Span
	From mapping.SpanContext // a span outside that some of them hung on; zero if there was none
}

// Join puts the spans that belong to a workflow into its tree, each agent's after it, and the sums of their tokens on
// its spans. Which are an agent's is told by the ids of the agent and of the workflow's run; what has the run alone
// belongs to the workflow; what hangs on such a span goes with it. Ids stay, the trace becomes that of the tree; what
// was before is in attributes. Neither the tree nor the spans given are changed.
//
// lossy says that some of the telemetry is known to be lost.
func Join(t mapping.Tree, spans []*Span, costs map[string]Cost, lossy bool) Joined {
	p := newPlaces(t, spans)
	out := Joined{Tree: mapping.Tree{TaskID: t.TaskID}}
	below := map[int][]*Span{} // by index of the owner in the tree
	for _, s := range spans {
		if o := p.owner(s); o >= 0 {
			below[o] = append(below[o], s)
			out.Used = append(out.Used, s)
			if from := p.outside(s); out.From.SpanID.IsZero() && !from.SpanID.IsZero() {
				out.From = from
			}
		}
	}
	sums := sumUp(t, below, costs, lossy)
	for i := range t.Spans {
		s := t.Spans[i]
		s.Attributes = append(s.Attributes[:len(s.Attributes):len(s.Attributes)], sums[i]...)
		out.Tree.Spans = append(out.Tree.Spans, s)
		if i > 0 {
			out.Tree.Spans = append(out.Tree.Spans, p.placed(i, below[i], costs)...)
		}
	}
	if len(t.Spans) > 0 {
		out.Tree.Spans = append(out.Tree.Spans, p.placed(0, below[0], costs)...)
	}
	return out
}

// nobody owns a span that belongs elsewhere.
const nobody = -1

// places finds the owners of spans in a tree.
type places struct {
	tree   mapping.Tree
	run    string
	agents map[string][]int
	spans  map[spanKey]*Span
	owners map[*Span]int
}

func newPlaces(t mapping.Tree, spans []*Span) *places {
	p := &places{tree: t, agents: map[string][]int{}, spans: make(map[spanKey]*Span, len(spans)), owners: make(map[*Span]int, len(spans))}
	for i := range t.Spans {
		for _, id := range t.Spans[i].AgentIDs {
			p.agents[id] = append(p.agents[id], i)
		}
	}
	if len(t.Spans) > 0 {
		p.run = t.Spans[0].Text(mapping.KeyRunID)
	}
	for _, s := range spans {
		p.spans[s.key()] = s
	}
	return p
}

// owner is the index of the span in the tree that s belongs to. Chains of parents may be as long, and as wrong, as a
// sender makes them.
func (p *places) owner(s *Span) int {
	var chain []*Span
	o := nobody
	for at := s; at != nil; at = p.spans[spanKey{at.TraceID, at.ParentID}] {
		if known, ok := p.owners[at]; ok {
			o = known
			break
		}
		p.owners[at] = nobody // for a chain that bites its tail
		chain = append(chain, at)
		if o = p.direct(at); o > 0 {
			break // an agent's; where only the run is known, an agent may stand above
		}
	}
	// From the top of the chain down: each is its own, or where its parent is.
	for i := len(chain) - 1; i >= 0; i-- {
		if d := p.direct(chain[i]); d > 0 || d == 0 && o <= 0 {
			o = d
		} else if p.stranger(chain[i]) {
			o = nobody
		}
		p.owners[chain[i]] = o
	}
	return o
}

// direct is the owner that the span names itself.
func (p *places) direct(s *Span) int {
	if len(p.tree.Spans) == 0 || p.stranger(s) {
		return nobody
	}
	sure := s.RunID != "" && s.RunID == p.run
	owner := nobody
	if sure {
		owner = 0
	}
	candidates := p.agents[s.AgentID]
	if s.AgentID == "" || len(candidates) == 0 {
		return owner
	}
	if len(candidates) == 1 && sure {
		return candidates[0]
	}
	// The same id for several agents, or no run to tell workflows apart: the time has to.
	found := nobody
	for _, i := range candidates {
		if during(&p.tree.Spans[i], s.Start) {
			if found != nobody {
				return owner
			}
			found = i
		}
	}
	if found != nobody {
		return found
	}
	return owner
}

// stranger reports whether the span names another workflow.
func (p *places) stranger(s *Span) bool { return s.RunID != "" && p.run != "" && s.RunID != p.run }

// tolerance is how far the clocks of stream and telemetry may differ: they are the same machine's.
const tolerance = time.Second

func during(s *mapping.Span, at time.Time) bool {
	return !at.Before(s.Start.Add(-tolerance)) && !at.After(s.End.Add(tolerance))
}

// outside is the parent that s had, if that stays elsewhere.
func (p *places) outside(s *Span) mapping.SpanContext {
	if s.ParentID.IsZero() || p.spans[spanKey{s.TraceID, s.ParentID}] != nil {
		return mapping.SpanContext{}
	}
	return mapping.SpanContext{TraceID: s.TraceID, SpanID: s.ParentID, Sampled: true}
}

// placed returns the owner's spans as they are in the tree: parents first, siblings in the order of their starts.
func (p *places) placed(owner int, spans []*Span, costs map[string]Cost) []mapping.Span {
	if len(spans) == 0 {
		return nil
	}
	top := &p.tree.Spans[owner]
	mine := make(map[spanKey]bool, len(spans))
	for _, s := range spans {
		mine[s.key()] = true
	}
	children := map[spanKey][]*Span{}
	var roots []*Span
	for _, s := range spans {
		if parent := (spanKey{s.TraceID, s.ParentID}); mine[parent] && parent != s.key() {
			children[parent] = append(children[parent], s)
		} else {
			roots = append(roots, s)
		}
	}
	out := make([]mapping.Span, 0, len(spans))
	done := make(map[*Span]bool, len(spans))
	var walk func(list []*Span, parent mapping.Span)
	walk = func(list []*Span, parent mapping.Span) {
		slices.SortStableFunc(list, func(a, b *Span) int {
			return cmp.Or(a.Start.Compare(b.Start), slices.Compare(a.SpanID[:], b.SpanID[:]))
		})
		for _, s := range list {
			if done[s] {
				continue
			}
			done[s] = true
			one := moved(s, top, parent.SpanID, costs)
			within(&one, &parent)
			out = append(out, one)
			walk(children[s.key()], one)
		}
	}
	walk(roots, *top)
	for _, s := range spans { // chains without an end
		if !done[s] {
			walk([]*Span{s}, *top)
		}
	}
	return out
}

// moved is the span at its new place.
func moved(s *Span, top *mapping.Span, parent mapping.SpanID, costs map[string]Cost) mapping.Span {
	out := s.Span
	attrs := out.Attributes[:len(out.Attributes):len(out.Attributes)]
	if c, ok := costs[s.RequestID]; ok && s.Request {
		attrs = append(attrs, mapping.Attribute{Key: mapping.KeyCost, Value: c.USD})
	}
	out.Attributes = replaced(attrs, s, top.TraceID, parent)
	out.TraceID, out.ParentID = top.TraceID, parent
	if out.Start.IsZero() {
		out.Start = top.Start
	}
	if out.End.Before(out.Start) {
		out.End = out.Start
	}
	for i := range out.Events {
		if out.Events[i].Time.IsZero() {
			out.Events = slices.Clone(out.Events)
			out.Events[i].Time = out.Start
		}
	}
	return out
}

// within keeps a span inside its parent, whose end may not be known: telemetry measures what begins and ends together
// with two clocks.
func within(s, parent *mapping.Span) {
	if parent.End.IsZero() {
		return
	}
	for _, t := range []*time.Time{&s.Start, &s.End} {
		if t.Before(parent.Start) {
			*t = parent.Start
		}
		if t.After(parent.End) {
			*t = parent.End
		}
	}
}

// replaced adds what the span's trace and parent were, where they become others.
func replaced(attrs []mapping.Attribute, s *Span, trace mapping.TraceID, parent mapping.SpanID) []mapping.Attribute {
	if s.TraceID != trace {
		attrs = append(attrs, mapping.Attribute{Key: mapping.KeyNativeTrace, Value: hexTrace(s.TraceID)})
	}
	if s.ParentID != parent && !s.ParentID.IsZero() {
		attrs = append(attrs, mapping.Attribute{Key: mapping.KeyNativeParent, Value: hexSpan(s.ParentID)})
	}
	return attrs
}
