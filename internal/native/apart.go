package native

import "cbc-otel/mapping"

// Apart takes out what belongs to no workflow, as one tree for each trace it is in: spans whose interaction is over,
// or with all everything that is left. With all, what came too late for a workflow that was exported is put below
// its agents; those trees come first.
func (s *Store) Apart(all bool) []mapping.Tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	var trees []mapping.Tree
	if all {
		trees = s.late()
	}
	var out []*Span
	over := map[*Span]bool{}
	for _, n := range s.order {
		if !all && !s.over(n, over) {
			continue
		}
		out = append(out, n)
		if n.AgentID != "" || n.RunID != "" {
			s.counts.Unmatched++
		} else {
			s.counts.Apart++
		}
	}
	s.remove(out)
	return append(trees, s.asTrees(out)...)
}

// over reports whether a span hangs on one that is the top of its trace, which the CLI sends when all below it has
// been; what names an agent or a run has a workflow to wait for.
func (s *Store) over(n *Span, known map[*Span]bool) bool {
	var chain []*Span
	result := false
	for at := n; at != nil; at = s.spans[spanKey{at.TraceID, at.ParentID}] {
		if r, ok := known[at]; ok {
			result = r
			break
		}
		known[at] = false
		chain = append(chain, at)
		if at.AgentID != "" || at.RunID != "" {
			break
		}
		if at.ParentID.IsZero() || at.ParentID == s.o.Session.SpanID || at.ParentID == s.o.Outer {
			result = true
			break
		}
	}
	for _, at := range chain {
		known[at] = result
	}
	return result
}

// late finds places for spans whose workflow has been exported.
func (s *Store) late() (trees []mapping.Tree) {
	for _, t := range s.settled {
		j := Join(t, s.order, s.costs, false)
		if len(j.Used) == 0 {
			continue
		}
		s.remove(j.Used)
		s.counts.Late += len(j.Used)
		ours := make(map[mapping.SpanID]bool, len(t.Spans))
		for i := range t.Spans {
			ours[t.Spans[i].SpanID] = true
		}
		tree := mapping.Tree{TaskID: t.TaskID}
		for _, one := range j.Tree.Spans {
			if !ours[one.SpanID] {
				tree.Spans = append(tree.Spans, one)
			}
		}
		trees = append(trees, tree)
	}
	return trees
}

// asTrees puts spans below the command's span or, without one, leaves them in their own trace with links to the
// workflows that their calls started.
func (s *Store) asTrees(spans []*Span) (trees []mapping.Tree) {
	byTrace := map[mapping.TraceID][]*Span{}
	var traces []mapping.TraceID
	for _, n := range spans {
		if byTrace[n.TraceID] == nil {
			traces = append(traces, n.TraceID)
		}
		byTrace[n.TraceID] = append(byTrace[n.TraceID], n)
	}
	for _, trace := range traces {
		trees = append(trees, mapping.Tree{Spans: s.placeApart(byTrace[trace])})
	}
	return trees
}

func (s *Store) placeApart(spans []*Span) []mapping.Span {
	session := s.o.Session
	// Everything hangs below one top, which is not among them: what placed does for an owner.
	top := mapping.Span{TraceID: spans[0].TraceID}
	if !session.SpanID.IsZero() {
		top.TraceID, top.SpanID = session.TraceID, session.SpanID
	}
	top.Start = spans[0].Start // its end is not known
	p := &places{tree: mapping.Tree{Spans: []mapping.Span{top}}}
	placed := p.placed(0, spans, s.costs)
	if session.SpanID.IsZero() {
		s.restore(placed, spans)
	} else {
		s.keepParents(placed, spans)
	}
	return placed
}

// restore gives spans that stay in their trace the parents they had, and links to workflows.
func (s *Store) restore(placed []mapping.Span, spans []*Span) {
	before := make(map[mapping.SpanID]*Span, len(spans))
	for _, n := range spans {
		before[n.SpanID] = n
	}
	for i := range placed {
		one := &placed[i]
		n := before[one.SpanID]
		if one.ParentID != n.ParentID {
			one.ParentID = n.ParentID
			one.Attributes = without(one.Attributes, mapping.KeyNativeParent)
		}
		if to, ok := s.known[n.ToolUseID]; ok && n.Tool && n.ToolUseID != "" && to.TraceID != one.TraceID {
			one.Links = append(one.Links[:len(one.Links):len(one.Links)], mapping.Link{Context: to})
		}
	}
}

// keepParents leaves spans below the command's span on parents that went before them.
func (s *Store) keepParents(placed []mapping.Span, spans []*Span) {
	before := make(map[mapping.SpanID]*Span, len(spans))
	for _, n := range spans {
		before[n.SpanID] = n
	}
	for i := range placed {
		one := &placed[i]
		if n := before[one.SpanID]; one.ParentID != n.ParentID && s.seen[spanKey{n.TraceID, n.ParentID}] {
			one.ParentID = n.ParentID
			one.Attributes = without(one.Attributes, mapping.KeyNativeParent)
		}
	}
}

func without(list []mapping.Attribute, key string) []mapping.Attribute {
	out := make([]mapping.Attribute, 0, len(list))
	for _, a := range list {
		if a.Key != key {
			out = append(out, a)
		}
	}
	return out
}
