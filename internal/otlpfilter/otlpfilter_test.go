package otlpfilter

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"cbc-otel/filter"
	"cbc-otel/internal/otlpvalue"
	"cbc-otel/mapping"
)

func text(s string) *commonpb.AnyValue { return otlpvalue.Of(s) }

func kv(key string, v *commonpb.AnyValue) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: v}
}

func array(values ...*commonpb.AnyValue) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: values}}}
}

func object(list ...*commonpb.KeyValue) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_KvlistValue{KvlistValue: &commonpb.KeyValueList{Values: list}}}
}

func raw(b string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_BytesValue{BytesValue: []byte(b)}}
}

// everyType lists attributes of every type OTLP has, each with the word in it.
func everyType(word string) []*commonpb.KeyValue {
	return []*commonpb.KeyValue{
		kv("text", text(word)), kv("int", otlpvalue.Of(int64(7))), kv("double", otlpvalue.Of(1.5)), kv("nan", otlpvalue.Of(math.NaN())), kv("bool", otlpvalue.Of(true)),
		kv("texts", array(text("x"), text(word))), kv("mixed", array(text(word), otlpvalue.Of(int64(1)), otlpvalue.Of(math.Inf(1)))),
		kv("map", object(kv("a", array(text("<"+word))), kv("b", raw(word)))), kv("bytes", raw(word+"\xff")), kv("empty", nil), kv("none", array()),
	}
}

func traces(word string) *tracepb.TracesData {
	return &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: &resourcepb.Resource{Attributes: everyType(word)},
		ScopeSpans: []*tracepb.ScopeSpans{{
			Scope: &commonpb.InstrumentationScope{Name: "s", Attributes: everyType(word)},
			Spans: []*tracepb.Span{{
				TraceId: []byte{1}, SpanId: []byte{2}, Name: "a " + word, TraceState: "a=" + word, Attributes: everyType(word), StartTimeUnixNano: 5,
				Events: []*tracepb.Span_Event{{Name: "e " + word, TimeUnixNano: 6, Attributes: everyType(word)}},
				Links:  []*tracepb.Span_Link{{SpanId: []byte{3}, TraceState: "b=" + word, Attributes: everyType(word)}},
				Status: &tracepb.Status{Code: 2, Message: word},
			}},
		}},
	}}}
}

func rules(t *testing.T, c filter.Config) *filter.Rules {
	t.Helper()
	r, errs := filter.Compile(c)
	for _, err := range errs {
		t.Fatal(err)
	}
	return r
}

func diff(t *testing.T, got, want *tracepb.TracesData) {
	t.Helper()
	if !proto.Equal(got, want) {
		t.Errorf("-want +got:\n%s", cmp.Diff(want, got, protocmp.Transform()))
	}
}

func TestNothingChanges(t *testing.T) {
	t.Parallel()
	got, want := traces("plain"), traces("plain")
	Apply(rules(t, filter.Config{}), got)
	diff(t, got, want)
}

func TestEveryType(t *testing.T) {
	t.Parallel()
	got := traces("bad")
	Apply(rules(t, filter.Config{Redaction: filter.Redaction{BlockedValues: []string{"bad"}}}), got)
	want := traces("****")
	rs := want.ResourceSpans[0]
	s := rs.ScopeSpans[0].Spans[0]
	s.TraceState, s.Links[0].TraceState = "", ""
	// What was masked within a value that ours do not have is text afterwards.
	for _, list := range [][]*commonpb.KeyValue{rs.Resource.Attributes, rs.ScopeSpans[0].Scope.Attributes, s.Attributes, s.Events[0].Attributes, s.Links[0].Attributes} {
		list[6].Value = text(`["****",1,"+Inf"]`)
		list[7].Value = text(`{"a":["<****"],"b":"****"}`)
		list[8].Value = text(`"****` + `\ufffd"`)
	}
	diff(t, got, want)
}

// A phase that is dropped takes its agents with it, also those in another batch.
func TestDropAcrossBatches(t *testing.T) {
	t.Parallel()
	span := func(id, parent byte, name string) *tracepb.Span {
		return &tracepb.Span{TraceId: []byte{1}, SpanId: []byte{id}, ParentSpanId: []byte{parent}, Name: name}
	}
	batch := func(spans ...*tracepb.Span) *tracepb.TracesData {
		return &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{Spans: spans}}}}}
	}
	other := span(3, 2, "invoke_agent b")
	other.TraceId = []byte{9}
	first, second := batch(span(1, 0, "invoke_workflow w"), span(2, 1, "phase p")), batch(span(3, 2, "invoke_agent a"))
	third := batch(proto.Clone(other).(*tracepb.Span))
	h := Apply(rules(t, filter.Config{Drop: []filter.DropRule{{Spans: []string{string(mapping.PhaseSpan)}}}}), first, second, third)
	diff(t, first, batch(span(1, 0, "invoke_workflow w")))
	diff(t, second, &tracepb.TracesData{})
	diff(t, third, batch(other))
	if h.Dropped != 2 {
		t.Errorf("%d spans dropped, want 2", h.Dropped)
	}
}

func TestNoRules(t *testing.T) {
	t.Parallel()
	got := traces("x")
	Apply(nil, got)
	diff(t, got, &tracepb.TracesData{})
}
