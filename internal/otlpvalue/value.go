// Package otlpvalue makes OTLP values of attributes.
package otlpvalue

import (
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
)

// Of is an attribute's value as OTLP has it, nil for a type that attributes do not have. Text is made valid UTF-8: one
// bad byte makes protobuf refuse the whole message.
func Of(value any) *commonpb.AnyValue {
	switch v := value.(type) {
	case string:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: strings.ToValidUTF8(v, "\uFFFD")}}
	case bool:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: v}}
	case int64:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: v}}
	case float64:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: v}}
	case []string:
		list := &commonpb.ArrayValue{}
		for _, s := range v {
			list.Values = append(list.Values, Of(s))
		}
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: list}}
	}
	return nil
}
