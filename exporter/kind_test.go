package exporter_test

import (
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"cbc-otel/mapping"
)

func TestKinds(t *testing.T) {
	t.Parallel()
	o, _ := toFile(t)
	tr := tree(7, 4)
	for i := range tr.Spans {
		tr.Spans[i].OTelKind = mapping.OTelKind(i % 5)
	}
	want := []tracepb.Span_SpanKind{
		tracepb.Span_SPAN_KIND_INTERNAL, tracepb.Span_SPAN_KIND_SERVER, tracepb.Span_SPAN_KIND_CLIENT,
		tracepb.Span_SPAN_KIND_PRODUCER, tracepb.Span_SPAN_KIND_CONSUMER,
	}
	got := map[string]tracepb.Span_SpanKind{}
	for _, s := range exported(t, o, tr) {
		got[string(s.SpanId)] = s.Kind
	}
	for i := range tr.Spans {
		if kind := got[string(tr.Spans[i].SpanID[:])]; kind != want[i%5] {
			t.Errorf("span %d is %v, want %v", i, kind, want[i%5])
		}
	}
}
