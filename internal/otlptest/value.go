package otlptest

import (
	"fmt"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
)

// Text returns a value as text: strings as they are, a list as [a, b].
func Text(v *commonpb.AnyValue) string {
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return v.StringValue
	case *commonpb.AnyValue_BoolValue:
		return fmt.Sprint(v.BoolValue)
	case *commonpb.AnyValue_IntValue:
		return fmt.Sprint(v.IntValue)
	case *commonpb.AnyValue_DoubleValue:
		return fmt.Sprint(v.DoubleValue)
	case *commonpb.AnyValue_ArrayValue:
		var parts []string
		for _, e := range v.ArrayValue.GetValues() {
			parts = append(parts, Text(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return ""
}

// Attr returns an attribute of the span as text; ok is false if it has none of that key.
func (s Span) Attr(key string) (value string, ok bool) {
	for _, kv := range s.GetAttributes() {
		if kv.GetKey() == key {
			return Text(kv.GetValue()), true
		}
	}
	return "", false
}
