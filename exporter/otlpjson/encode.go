// Package otlpjson writes and reads trace data as OTLP JSON, the format of the collector's file exporter and
// otlpjsonfile receiver: lowerCamelCase names, ids in hex, 64-bit integers as strings, enums as integers.
// (OTLP specification, "JSON Protobuf Encoding".)
package otlpjson

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// Append appends data to b as one line without its newline. Keys come in the order of the field numbers and
// fields with their default value are left out, so equal data gives equal bytes.
func Append(b []byte, data *tracepb.TracesData) []byte {
	o := begin(b)
	o.b = list(o.key("resourceSpans"), data.GetResourceSpans(), appendResourceSpans)
	return o.end()
}

func appendResourceSpans(b []byte, rs *tracepb.ResourceSpans) []byte {
	o := begin(b)
	if rs.GetResource() != nil {
		o.b = appendResource(o.key("resource"), rs.GetResource())
	}
	o.b = list(o.key("scopeSpans"), rs.GetScopeSpans(), appendScopeSpans)
	o.text("schemaUrl", rs.GetSchemaUrl())
	return o.end()
}

func appendResource(b []byte, r *resourcepb.Resource) []byte {
	o := begin(b)
	o.attributes(r.GetAttributes())
	o.small("droppedAttributesCount", r.GetDroppedAttributesCount())
	return o.end()
}

func appendScopeSpans(b []byte, ss *tracepb.ScopeSpans) []byte {
	o := begin(b)
	if scope := ss.GetScope(); scope != nil {
		s := begin(o.key("scope"))
		s.text("name", scope.GetName())
		s.text("version", scope.GetVersion())
		s.attributes(scope.GetAttributes())
		s.small("droppedAttributesCount", scope.GetDroppedAttributesCount())
		o.b = s.end()
	}
	o.b = list(o.key("spans"), ss.GetSpans(), appendSpan)
	o.text("schemaUrl", ss.GetSchemaUrl())
	return o.end()
}

func appendSpan(b []byte, s *tracepb.Span) []byte {
	o := begin(b)
	o.id("traceId", s.GetTraceId())
	o.id("spanId", s.GetSpanId())
	o.text("traceState", s.GetTraceState())
	o.id("parentSpanId", s.GetParentSpanId())
	o.small("flags", s.GetFlags())
	o.text("name", s.GetName())
	o.small("kind", uint32(s.GetKind()))
	o.large("startTimeUnixNano", s.GetStartTimeUnixNano())
	o.large("endTimeUnixNano", s.GetEndTimeUnixNano())
	o.attributes(s.GetAttributes())
	o.small("droppedAttributesCount", s.GetDroppedAttributesCount())
	if len(s.GetEvents()) > 0 {
		o.b = list(o.key("events"), s.GetEvents(), appendEvent)
	}
	o.small("droppedEventsCount", s.GetDroppedEventsCount())
	if len(s.GetLinks()) > 0 {
		o.b = list(o.key("links"), s.GetLinks(), appendLink)
	}
	o.small("droppedLinksCount", s.GetDroppedLinksCount())
	if s.GetStatus() != nil {
		st := begin(o.key("status"))
		st.text("message", s.GetStatus().GetMessage())
		st.small("code", uint32(s.GetStatus().GetCode()))
		o.b = st.end()
	}
	return o.end()
}

func appendEvent(b []byte, e *tracepb.Span_Event) []byte {
	o := begin(b)
	o.large("timeUnixNano", e.GetTimeUnixNano())
	o.text("name", e.GetName())
	o.attributes(e.GetAttributes())
	o.small("droppedAttributesCount", e.GetDroppedAttributesCount())
	return o.end()
}

func appendLink(b []byte, l *tracepb.Span_Link) []byte {
	o := begin(b)
	o.id("traceId", l.GetTraceId())
	o.id("spanId", l.GetSpanId())
	o.text("traceState", l.GetTraceState())
	o.attributes(l.GetAttributes())
	o.small("droppedAttributesCount", l.GetDroppedAttributesCount())
	o.small("flags", l.GetFlags())
	return o.end()
}

func appendKeyValue(b []byte, kv *commonpb.KeyValue) []byte {
	o := begin(b)
	o.b = appendString(o.key("key"), kv.GetKey())
	if kv.GetValue() != nil {
		o.b = appendValue(o.key("value"), kv.GetValue())
	}
	return o.end()
}

func appendValue(b []byte, v *commonpb.AnyValue) []byte {
	o := begin(b)
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		o.b = appendString(o.key("stringValue"), v.StringValue)
	case *commonpb.AnyValue_BoolValue:
		o.b = strconv.AppendBool(o.key("boolValue"), v.BoolValue)
	case *commonpb.AnyValue_IntValue:
		o.b = append(strconv.AppendInt(append(o.key("intValue"), '"'), v.IntValue, 10), '"')
	case *commonpb.AnyValue_DoubleValue:
		o.b = appendFloat(o.key("doubleValue"), v.DoubleValue)
	case *commonpb.AnyValue_BytesValue:
		o.b = append(base64.StdEncoding.AppendEncode(append(o.key("bytesValue"), '"'), v.BytesValue), '"')
	case *commonpb.AnyValue_ArrayValue:
		a := begin(o.key("arrayValue"))
		a.b = list(a.key("values"), v.ArrayValue.GetValues(), appendValue)
		o.b = a.end()
	case *commonpb.AnyValue_KvlistValue:
		a := begin(o.key("kvlistValue"))
		a.b = list(a.key("values"), v.KvlistValue.GetValues(), appendKeyValue)
		o.b = a.end()
	}
	return o.end()
}

// appendFloat writes the shortest form that reads back the same; JSON has no literal for the three
// values that are no finite number, ProtoJSON has these strings.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(b, `"-Infinity"`...)
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

func list[T any](b []byte, items []T, item func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, it := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = item(b, it)
	}
	return append(b, ']')
}

// object is a JSON object being written at the end of b.
type object struct {
	b     []byte
	start int
}

func begin(b []byte) *object { return &object{b: append(b, '{'), start: len(b) + 1} }

func (o *object) end() []byte { return append(o.b, '}') }

// key appends a member's name, known to need no escapes, and returns the bytes to append its value to.
func (o *object) key(name string) []byte {
	if len(o.b) > o.start {
		o.b = append(o.b, ',')
	}
	o.b = append(o.b, '"')
	o.b = append(o.b, name...)
	return append(o.b, '"', ':')
}

func (o *object) text(name, value string) {
	if value != "" {
		o.b = appendString(o.key(name), value)
	}
}

func (o *object) id(name string, id []byte) {
	if len(id) > 0 {
		o.b = append(hex.AppendEncode(append(o.key(name), '"'), id), '"')
	}
}

func (o *object) small(name string, n uint32) {
	if n != 0 {
		o.b = strconv.AppendUint(o.key(name), uint64(n), 10)
	}
}

func (o *object) large(name string, n uint64) {
	if n != 0 {
		o.b = append(strconv.AppendUint(append(o.key(name), '"'), n, 10), '"')
	}
}

func (o *object) attributes(kvs []*commonpb.KeyValue) {
	if len(kvs) > 0 {
		o.b = list(o.key("attributes"), kvs, appendKeyValue)
	}
}
