package traces

import (
	"cmp"
	"fmt"
	"slices"

	"cbc-otel/mapping"
)

// assemble makes a trace of each workflow among the spans, in the order of the first span of each. The error says
// what had no place.
func assemble(all []read, path string) ([]Trace, error) {
	all = newest(all)
	a := assembly{all: all, children: make(map[mapping.SpanID][]int, len(all)), placed: make([]bool, len(all))}
	known := make(map[mapping.SpanID]mapping.TraceID, len(all))
	for i := range all {
		known[all[i].span.SpanID] = all[i].span.TraceID
	}
	var roots, orphans []int
	alone := map[mapping.TraceID]int{} // the only workflow of a trace, -1 for several
	for i := range all {
		s := &all[i].span
		if s.Kind == mapping.WorkflowSpan {
			roots = append(roots, i)
			if _, more := alone[s.TraceID]; more {
				alone[s.TraceID] = -1
			} else {
				alone[s.TraceID] = i
			}
			continue
		}
		if trace, ok := known[s.ParentID]; ok && trace == s.TraceID && s.ParentID != s.SpanID {
			a.children[s.ParentID] = append(a.children[s.ParentID], i)
		} else {
			orphans = append(orphans, i)
		}
	}
	// What lost its parent, as when a line was torn, belongs to the only workflow there is.
	for _, i := range orphans {
		s := &all[i].span
		root, ok := alone[s.TraceID]
		if ok && root >= 0 && (s.Kind == mapping.PhaseSpan || s.Kind == mapping.AgentSpan) {
			s.ParentID = all[root].span.SpanID
			a.children[s.ParentID] = append(a.children[s.ParentID], i)
		}
	}
	traces := make([]Trace, 0, len(roots))
	for _, i := range roots {
		s := &all[i].span
		traces = append(traces, Trace{ID: s.TraceID, Tree: a.tree(i), Resource: *all[i].resource, Path: path})
	}
	if n := a.left(); n > 0 {
		return traces, fmt.Errorf("%d spans belong to no workflow in it", n)
	}
	return traces, nil
}

// newest drops spans that come again later: what was sent twice is there twice.
func newest(all []read) []read {
	type key struct {
		trace mapping.TraceID
		span  mapping.SpanID
	}
	place := make(map[key]int, len(all))
	out := make([]read, 0, len(all))
	for _, r := range all {
		k := key{r.span.TraceID, r.span.SpanID}
		if at, again := place[k]; again {
			out[at] = r
			continue
		}
		place[k] = len(out)
		out = append(out, r)
	}
	return out
}

type assembly struct {
	all      []read
	children map[mapping.SpanID][]int // in all
	placed   []bool
}

// tree collects a workflow's spans, each after its parent. Chains may be as long as a file makes them, so this does
// not call itself.
func (a *assembly) tree(root int) mapping.Tree {
	t := mapping.Tree{TaskID: a.all[root].span.Text(mapping.KeyTaskID)}
	stack := []int{root}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if a.placed[i] {
			continue // two spans of different traces have the same id
		}
		a.placed[i] = true
		s := a.all[i].span
		t.Spans = append(t.Spans, s)
		below := a.children[s.SpanID]
		slices.SortStableFunc(below, func(x, y int) int { return inOrder(&a.all[x].span, &a.all[y].span) })
		for k := len(below) - 1; k >= 0; k-- {
			if a.all[below[k]].span.TraceID == s.TraceID {
				stack = append(stack, below[k])
			}
		}
	}
	return t
}

// inOrder compares two children of a span: phases by their index, then agents by theirs, then the rest by time.
func inOrder(a, b *mapping.Span) int {
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(place(a), place(b)), a.Start.Compare(b.Start))
}

func rank(s *mapping.Span) int {
	switch s.Kind {
	case mapping.PhaseSpan:
		return 0
	case mapping.AgentSpan:
		return 1
	}
	return 2
}

func place(s *mapping.Span) int64 {
	key := mapping.KeyAgentIndex
	if s.Kind == mapping.PhaseSpan {
		key = mapping.KeyPhaseIndex
	}
	n, _ := s.Int(key)
	return n
}

func (a *assembly) left() (n int) {
	for i, placed := range a.placed {
		switch a.all[i].span.Kind {
		case mapping.SessionSpan, mapping.RequestSpan, mapping.ToolSpan, mapping.NativeSpan:
			// The command, and what it did outside of workflows.
		default:
			if !placed {
				n++
			}
		}
	}
	return n
}
