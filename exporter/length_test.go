package exporter

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/mapping"
)

func TestLengthen(t *testing.T) {
	t.Parallel()
	origin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	// span N under parent P from start to end, in nanoseconds
	span := func(n, p byte, start, end int) mapping.Span {
		return mapping.Span{SpanID: mapping.SpanID{n}, ParentID: mapping.SpanID{p}, Start: origin.Add(time.Duration(start)), End: origin.Add(time.Duration(end))}
	}
	for name, c := range map[string]struct{ in, want []mapping.Span }{
		"all have a length": {
			[]mapping.Span{span(1, 0, 0, 9), span(2, 1, 0, 9)},
			[]mapping.Span{span(1, 0, 0, 9), span(2, 1, 0, 9)},
		},
		"at the start, in the middle, at the end of the parent": {
			[]mapping.Span{span(1, 0, 0, 9), span(2, 1, 0, 0), span(3, 1, 5, 5), span(4, 1, 9, 9)},
			[]mapping.Span{span(1, 0, 0, 9), span(2, 1, 0, 1), span(3, 1, 5, 6), span(4, 1, 8, 9)},
		},
		"a phase of only cached agents": {
			[]mapping.Span{span(1, 0, 0, 9), span(2, 1, 9, 9), span(3, 2, 9, 9)},
			[]mapping.Span{span(1, 0, 0, 9), span(2, 1, 8, 9), span(3, 2, 8, 9)},
		},
		"nothing has a length": {
			[]mapping.Span{span(1, 0, 0, 0), span(2, 1, 0, 0), span(3, 2, 0, 0)},
			[]mapping.Span{span(1, 0, 0, 1), span(2, 1, 0, 1), span(3, 2, 0, 1)},
		},
		"a parent that is elsewhere": {
			[]mapping.Span{span(1, 7, 4, 4)},
			[]mapping.Span{span(1, 7, 4, 5)},
		},
	} {
		in := mapping.Tree{Spans: append([]mapping.Span(nil), c.in...)}
		got := lengthen(in)
		if d := cmp.Diff(c.want, got.Spans); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if d := cmp.Diff(c.in, in.Spans); d != "" {
			t.Errorf("%s: changed its argument:\n%s", name, d)
		}
	}
}
