package otlpjson_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"cbc-otel/exporter/otlpjson"
)

func text(k, v string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: k, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: v}}}
}

func full() *tracepb.TracesData {
	value := func(k string, v *commonpb.AnyValue) *commonpb.KeyValue {
		return &commonpb.KeyValue{Key: k, Value: v}
	}
	str := func(s string) *commonpb.AnyValue {
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
	}
	span := &tracepb.Span{
		TraceId:           []byte{0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36},
		SpanId:            []byte{0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7},
		ParentSpanId:      []byte{1, 2, 3, 4, 5, 6, 7, 8},
		TraceState:        "a=b,c=d",
		Flags:             0x301,
		Name:              "invoke_agent \"ä\" \u2028<script>\x7f",
		Kind:              tracepb.Span_SPAN_KIND_INTERNAL,
		StartTimeUnixNano: 1 << 60,
		EndTimeUnixNano:   math.MaxUint64,
		Attributes: []*commonpb.KeyValue{
			text("text", "tab\t, newline\n, return\r, nul\x00, back\\slash, \U0001F600"),
			text("", ""),
			value("int", &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: math.MinInt64}}),
			value("zero", &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{}}),
			value("bool", &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{}}),
			value("double", &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: 1e300}}),
			value("small", &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: -5e-324}}),
			value("inf", &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: math.Inf(-1)}}),
			value("bytes", &commonpb.AnyValue{Value: &commonpb.AnyValue_BytesValue{BytesValue: []byte{0, 255}}}),
			value("array", &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: []*commonpb.AnyValue{str("a"), str("")}}}}),
			value("map", &commonpb.AnyValue{Value: &commonpb.AnyValue_KvlistValue{KvlistValue: &commonpb.KeyValueList{Values: []*commonpb.KeyValue{text("k", "v")}}}}),
			{Key: "nothing"},
		},
		DroppedAttributesCount: 1,
		Events: []*tracepb.Span_Event{
			{TimeUnixNano: 7, Name: "retry", Attributes: []*commonpb.KeyValue{text("reason", "stalled")}, DroppedAttributesCount: 2},
		},
		DroppedEventsCount: 3,
		Links: []*tracepb.Span_Link{
			{TraceId: []byte{1}, SpanId: []byte{2}, TraceState: "x=y", Attributes: []*commonpb.KeyValue{text("l", "1")}, DroppedAttributesCount: 4, Flags: 1},
		},
		DroppedLinksCount: 5,
		Status:            &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: "1 of 2 agents failed"},
	}
	return &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: &resourcepb.Resource{Attributes: []*commonpb.KeyValue{text("service.name", "cbc")}, DroppedAttributesCount: 6},
		ScopeSpans: []*tracepb.ScopeSpans{{
			Scope:     &commonpb.InstrumentationScope{Name: "cbc-otel", Version: "1", Attributes: []*commonpb.KeyValue{text("s", "t")}, DroppedAttributesCount: 7},
			Spans:     []*tracepb.Span{span, {Status: &tracepb.Status{}}},
			SchemaUrl: "https://opentelemetry.io/schemas/1.41.0",
		}},
		SchemaUrl: "https://opentelemetry.io/schemas/1.41.0",
	}}}
}

// What is written is what was meant: the reader is the protobuf library's, not ours.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	want := full()
	line := otlpjson.Append(nil, want)
	if strings.ContainsAny(string(line), "\n\r<") || !json.Valid(line) {
		t.Errorf("not one line of JSON: %s", line)
	}
	got, err := otlpjson.Unmarshal(line)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/full.json")
	if err != nil {
		t.Fatal(err)
	}
	got := string(otlpjson.Append(nil, full())) + "\n"
	if got != string(want) {
		t.Errorf("got  %swant %s", got, want)
	}
	if appended := string(otlpjson.Append([]byte("before "), full())); appended != "before "+strings.TrimSuffix(got, "\n") {
		t.Errorf("appended to a text: %s", appended)
	}
}

// Values with bytes that are not UTF-8 cannot be read back the same, but must not break the line.
func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	data := &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{SchemaUrl: "a\xff\xc3(\xed\xa0\x80z"}}}
	got, err := otlpjson.Unmarshal(otlpjson.Append(nil, data))
	if err != nil {
		t.Fatal(err)
	}
	if want := "a\ufffd\ufffd(\ufffd\ufffd\ufffdz"; got.ResourceSpans[0].SchemaUrl != want {
		t.Errorf("got %q, want %q", got.ResourceSpans[0].SchemaUrl, want)
	}
}

// A collector writes the same format with other white space, upper-case ids and fields we do not know.
func TestUnmarshalForeign(t *testing.T) {
	t.Parallel()
	got, err := otlpjson.Unmarshal([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"4BF9","spanId":"", "new": 1,
		"startTimeUnixNano":"18446744073709551615","kind":1,"attributes":[{"key":"n","value":{"intValue":"9007199254740993"}}]}]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	span := got.ResourceSpans[0].ScopeSpans[0].Spans[0]
	want := &tracepb.Span{TraceId: []byte{0x4b, 0xf9}, Kind: 1, StartTimeUnixNano: math.MaxUint64, Attributes: []*commonpb.KeyValue{
		{Key: "n", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: 9007199254740993}}},
	}}
	if !proto.Equal(want, span) {
		t.Errorf("got %v", span)
	}
}

func TestUnmarshalErrors(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		``:     "OTLP JSON: EOF",
		`{"a"`: "OTLP JSON: unexpected EOF",
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"xyz"}]}]}]}`: "OTLP JSON: traceId is not hexadecimal",
		`{"resourceSpans":7}`: "OTLP JSON: proto:",
	} {
		_, err := otlpjson.Unmarshal([]byte(line))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %s…", line, err, want)
		}
	}
}

func FuzzAppend(f *testing.F) {
	f.Add("plain", int64(1), 1.5)
	f.Add("\x00\xff\u2028\"\\", int64(-1), math.Inf(1))
	f.Fuzz(func(t *testing.T, s string, n int64, d float64) {
		data := full()
		span := data.ResourceSpans[0].ScopeSpans[0].Spans[0]
		valid := strings.ToValidUTF8(s, "")
		span.Name, span.Attributes[0].Key, span.StartTimeUnixNano = valid, valid, uint64(n)
		span.Attributes[2].Value = &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: n}}
		span.Attributes[5].Value = &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: d}}
		got, err := otlpjson.Unmarshal(otlpjson.Append(nil, data))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(data, got, protocmp.Transform(), cmp.Comparer(func(a, b float64) bool {
			return a == b || math.IsNaN(a) && math.IsNaN(b)
		})); diff != "" {
			t.Error(diff)
		}
		data.ResourceSpans[0].SchemaUrl = s // may be invalid: the line must be valid all the same
		if line := otlpjson.Append(nil, data); !json.Valid(line) {
			t.Errorf("invalid: %s", line)
		}
	})
}
