// Package otlpfilter applies filter rules to spans that are OTLP protos already: what waits in the spool was
// filtered when it was written, and the rules of the run that sends it apply on top.
package otlpfilter

import (
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"cbc-otel/filter"
	"cbc-otel/mapping"
)

// Apply changes the traces to what may leave. Spans that belong together, but were sent in several batches,
// should be given together: a span that is dropped takes those below it with it. What holds no span
// afterwards is removed.
func Apply(rules *filter.Rules, traces ...*tracepb.TracesData) filter.Hits {
	var hits filter.Hits
	all := collect(traces)
	kept, index, h := rules.ApplySpans(all.spans)
	hits.Add(h)
	left := make(map[*tracepb.Span]bool, len(kept))
	for i := range kept {
		p := all.protos[index[i]]
		left[p] = true
		writeSpan(p, &kept[i])
	}
	for _, td := range traces {
		td.ResourceSpans = keep(td.ResourceSpans, func(rs *tracepb.ResourceSpans) bool {
			if rs.Resource != nil {
				rs.Resource.Attributes = applyList(rules, rs.Resource.Attributes, &hits)
			}
			rs.ScopeSpans = keep(rs.ScopeSpans, func(ss *tracepb.ScopeSpans) bool {
				if ss.Scope != nil {
					ss.Scope.Attributes = applyList(rules, ss.Scope.Attributes, &hits)
				}
				ss.Spans = keep(ss.Spans, func(s *tracepb.Span) bool { return left[s] })
				return len(ss.Spans) > 0
			})
			return len(rs.ScopeSpans) > 0
		})
	}
	return hits
}

// collection is the spans of all traces, in both forms.
type collection struct {
	spans  []mapping.Span
	protos []*tracepb.Span
}

func collect(traces []*tracepb.TracesData) collection {
	var c collection
	for _, td := range traces {
		for _, rs := range td.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					c.spans = append(c.spans, readSpan(s))
					c.protos = append(c.protos, s)
				}
			}
		}
	}
	return c
}

func applyList(rules *filter.Rules, list []*commonpb.KeyValue, hits *filter.Hits) []*commonpb.KeyValue {
	kept, h := rules.ApplyResource(readList(list))
	hits.Add(h)
	return writeList(list, kept)
}

// readSpan takes from a span what rules look at.
func readSpan(p *tracepb.Span) mapping.Span {
	s := mapping.Span{
		Name: p.Name, Attributes: readList(p.Attributes),
		Parent: mapping.SpanContext{TraceState: p.TraceState},
		Status: mapping.Status{Description: p.Status.GetMessage()},
	}
	copy(s.TraceID[:], p.TraceId)
	copy(s.SpanID[:], p.SpanId)
	copy(s.ParentID[:], p.ParentSpanId)
	s.Kind = mapping.KindOf(&s)
	for _, e := range p.Events {
		s.Events = append(s.Events, mapping.SpanEvent{Name: e.Name, Attributes: readList(e.Attributes)})
	}
	for _, l := range p.Links {
		s.Links = append(s.Links, mapping.Link{Context: mapping.SpanContext{TraceState: l.TraceState}, Attributes: readList(l.Attributes)})
	}
	return s
}

// writeSpan puts back what rules may change.
func writeSpan(p *tracepb.Span, s *mapping.Span) {
	p.Name, p.TraceState = s.Name, s.Parent.TraceState
	p.Attributes = writeList(p.Attributes, s.Attributes)
	if p.Status != nil {
		p.Status.Message = s.Status.Description
	}
	for i, e := range p.Events {
		e.Name, e.Attributes = s.Events[i].Name, writeList(e.Attributes, s.Events[i].Attributes)
	}
	for i, l := range p.Links {
		l.TraceState, l.Attributes = s.Links[i].Context.TraceState, writeList(l.Attributes, s.Links[i].Attributes)
	}
}

// keep removes the elements for which ok is false.
func keep[T any](list []T, ok func(T) bool) []T {
	kept := list[:0]
	for _, e := range list {
		if ok(e) {
			kept = append(kept, e)
		}
	}
	clear(list[len(kept):])
	return kept
}
