package check

import (
	"slices"

	"cbc-otel/mapping"
)

// TreeDiff compares a tree without rules with what would leave of it.
type TreeDiff struct {
	TaskID string
	Spans  []SpanDiff
}

// SpanDiff compares a span. Lines are in the order of the span.
type SpanDiff struct {
	Kind    mapping.SpanKind
	Name    string // without rules; what would leave is in Lines
	Depth   int    // 0 for the workflow
	Dropped bool   // nothing of it would leave
	Lines   []Change
}

// Change is one fact of a span with and without rules. Without a fact the text is empty and Had or Has false.
type Change struct {
	Place         string // name, status.message, an attribute's key, event NAME KEY, …
	Before, After any
	Had, Has      bool
}

// Same reports whether the rules left the fact as it was.
func (c Change) Same() bool { return c.Had == c.Has && equal(c.Before, c.After) }

func equal(a, b any) bool {
	x, isList := a.([]string)
	y, other := b.([]string)
	if isList || other {
		return isList && other && slices.Equal(x, y)
	}
	return a == b
}

func diffTree(before, after mapping.Tree) TreeDiff {
	d := TreeDiff{TaskID: before.TaskID}
	left := map[mapping.SpanID]*mapping.Span{}
	for i := range after.Spans {
		left[after.Spans[i].SpanID] = &after.Spans[i]
	}
	depth := map[mapping.SpanID]int{}
	for i := range before.Spans {
		b := &before.Spans[i]
		if parent, ok := depth[b.ParentID]; ok {
			depth[b.SpanID] = parent + 1
		} else {
			depth[b.SpanID] = 0
		}
		s := SpanDiff{Kind: b.Kind, Name: b.Name, Depth: depth[b.SpanID]}
		if a := left[b.SpanID]; a != nil {
			s.Lines = diffSpan(b, a)
		} else {
			s.Dropped = true
		}
		d.Spans = append(d.Spans, s)
	}
	return d
}

func diffSpan(b, a *mapping.Span) []Change {
	var d differ
	d.fact("name", b.Name, a.Name)
	d.fact("status.message", b.Status.Description, a.Status.Description)
	d.fact("tracestate", b.Parent.TraceState, a.Parent.TraceState)
	d.list("", b.Attributes, a.Attributes)
	for i := range b.Events {
		if i < len(a.Events) {
			d.fact("event", b.Events[i].Name, a.Events[i].Name)
			d.list("event "+b.Events[i].Name+" ", b.Events[i].Attributes, a.Events[i].Attributes)
		}
	}
	for i := range b.Links {
		if i < len(a.Links) {
			d.fact("link tracestate", b.Links[i].Context.TraceState, a.Links[i].Context.TraceState)
			d.list("link ", b.Links[i].Attributes, a.Links[i].Attributes)
		}
	}
	return d.lines
}

func diffList(before, after []mapping.Attribute) []Change {
	var d differ
	d.list("", before, after)
	return d.lines
}

// differ collects lines.
type differ struct{ lines []Change }

// fact adds a text that is there if it is not empty.
func (d *differ) fact(place, before, after string) {
	if before != "" || after != "" {
		d.lines = append(d.lines, Change{place, before, after, before != "", after != ""})
	}
}

// list adds attributes, those that are new at the end.
func (d *differ) list(of string, before, after []mapping.Attribute) {
	find := func(list []mapping.Attribute, key string) (any, bool) {
		i := slices.IndexFunc(list, func(a mapping.Attribute) bool { return a.Key == key })
		if i < 0 {
			return nil, false
		}
		return list[i].Value, true
	}
	for _, a := range before {
		v, has := find(after, a.Key)
		d.lines = append(d.lines, Change{of + a.Key, a.Value, v, true, has})
	}
	for _, a := range after {
		if _, had := find(before, a.Key); !had {
			d.lines = append(d.lines, Change{of + a.Key, nil, a.Value, false, true})
		}
	}
}
