package exporter

import (
	"slices"
	"time"

	"cbc-otel/mapping"
)

// lengthen makes spans without a length (cached agents, agents that never started, phases of only those) a nanosecond
// long. Jaeger takes a span that does not end after its start for a mistake of a clock, warns about it, moves its end
// and then warns that it ends after its parent. The nanosecond is added where the parent has room for it, so that
// children stay within their parents; parents come first in a tree. Files keep the times as they are.
func lengthen(t mapping.Tree) mapping.Tree {
	if !slices.ContainsFunc(t.Spans, noLength) {
		return t
	}
	t.Spans = slices.Clone(t.Spans)
	ends := make(map[mapping.SpanID]time.Time)
	for i := range t.Spans {
		s := &t.Spans[i]
		if noLength(*s) {
			if end, ok := ends[s.ParentID]; ok && !end.After(s.End) {
				s.Start = s.Start.Add(-time.Nanosecond)
			} else {
				s.End = s.End.Add(time.Nanosecond)
			}
		}
		ends[s.SpanID] = s.End
	}
	return t
}

func noLength(s mapping.Span) bool { return !s.Start.Before(s.End) }
