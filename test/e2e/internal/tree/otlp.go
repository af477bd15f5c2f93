package tree

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"cbc-otel/exporter/otlpjson"
	"cbc-otel/internal/otlptest"
)

// File reads the spans of a file of OTLP JSON lines.
func File(path string) ([]Span, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	var spans []Span
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			data, err := otlpjson.Unmarshal(line)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			spans = append(spans, OTLP(otlptest.Flatten(data))...)
		}
		if err != nil {
			return spans, nil
		}
	}
}

// OTLP converts what a receiver got.
func OTLP(in []otlptest.Span) []Span {
	var out []Span
	for _, s := range in {
		scope, _, _ := strings.Cut(s.Scope, "@")
		one := Span{
			TraceID: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()), Parent: hex.EncodeToString(s.GetParentSpanId()),
			Service: s.Resource["service.name"], Scope: scope, Name: s.GetName(),
			Start: micros(s.GetStartTimeUnixNano()), Duration: micros(s.GetEndTimeUnixNano() - s.GetStartTimeUnixNano()),
			Tags:  tagsOf(s.GetAttributes()),
			Error: s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR, Description: s.GetStatus().GetMessage(),
		}
		for _, e := range s.GetEvents() {
			one.Events = append(one.Events, Event{Name: e.GetName(), At: micros(e.GetTimeUnixNano()), Tags: tagsOf(e.GetAttributes())})
		}
		for _, l := range s.GetLinks() {
			one.Links = append(one.Links, hex.EncodeToString(l.GetTraceId())+"/"+hex.EncodeToString(l.GetSpanId()))
		}
		slices.Sort(one.Links)
		out = append(out, one)
	}
	return out
}

func micros(nanos uint64) int64 { return int64(nanos / 1000) } //nolint:gosec // until the year 2262

func tagsOf(attributes []*commonpb.KeyValue) map[string]string {
	m := map[string]string{}
	for _, kv := range attributes {
		m[kv.GetKey()] = tag(kv.GetValue())
	}
	return m
}

// tag is the value with its type in Jaeger's words; a list is a string of JSON there.
func tag(v *commonpb.AnyValue) string {
	switch x := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return "string " + x.StringValue
	case *commonpb.AnyValue_BoolValue:
		return fmt.Sprint("bool ", x.BoolValue)
	case *commonpb.AnyValue_IntValue:
		return fmt.Sprint("int64 ", x.IntValue)
	case *commonpb.AnyValue_DoubleValue:
		return fmt.Sprint("float64 ", x.DoubleValue)
	case *commonpb.AnyValue_ArrayValue:
		list := []string{}
		for _, e := range x.ArrayValue.GetValues() {
			list = append(list, e.GetStringValue())
		}
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(list) // strings always encode
		return "string " + strings.TrimSpace(b.String())
	}
	return fmt.Sprintf("? %v", v)
}
