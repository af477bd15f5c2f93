package exporter

import (
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"cbc-otel/mapping"
)

// treeOf is what is shown of spans as they are exported: no events and links.
func treeOf(spans []*tracepb.Span) mapping.Tree {
	t := mapping.Tree{Spans: make([]mapping.Span, len(spans))}
	for i, from := range spans {
		s := &t.Spans[i]
		copy(s.TraceID[:], from.GetTraceId())
		copy(s.SpanID[:], from.GetSpanId())
		copy(s.ParentID[:], from.GetParentSpanId())
		s.Name = from.GetName()
		s.Start = time.Unix(0, int64(from.GetStartTimeUnixNano())).UTC()
		s.End = time.Unix(0, int64(from.GetEndTimeUnixNano())).UTC()
		for _, kv := range from.GetAttributes() {
			switch v := kv.GetValue().GetValue().(type) {
			case *commonpb.AnyValue_StringValue:
				s.Attributes = append(s.Attributes, mapping.Attribute{Key: kv.GetKey(), Value: v.StringValue})
			case *commonpb.AnyValue_IntValue:
				s.Attributes = append(s.Attributes, mapping.Attribute{Key: kv.GetKey(), Value: v.IntValue})
			case *commonpb.AnyValue_BoolValue:
				s.Attributes = append(s.Attributes, mapping.Attribute{Key: kv.GetKey(), Value: v.BoolValue})
			}
		}
		if from.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
			s.Status = mapping.Status{Error: true, Description: from.GetStatus().GetMessage()}
		}
		s.Kind = mapping.KindOf(s)
	}
	return t
}
