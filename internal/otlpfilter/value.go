package otlpfilter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"cbc-otel/internal/otlpvalue"
	"cbc-otel/mapping"
)

// readList makes attributes of protos. Values of types ours do not have (maps, bytes, arrays of numbers) are
// shown to the rules as JSON.
func readList(list []*commonpb.KeyValue) []mapping.Attribute {
	out := make([]mapping.Attribute, 0, len(list))
	for _, kv := range list {
		value, ok := native(kv.Value)
		if !ok {
			value = asJSON(kv.Value)
		}
		out = append(out, mapping.Attribute{Key: kv.Key, Value: value})
	}
	return out
}

// writeList makes protos of attributes. What a rule did not change keeps its proto, whatever its type.
func writeList(was []*commonpb.KeyValue, list []mapping.Attribute) []*commonpb.KeyValue {
	byKey := make(map[string]*commonpb.KeyValue, len(was))
	for _, kv := range was {
		if _, again := byKey[kv.Key]; !again {
			byKey[kv.Key] = kv
		}
	}
	out := make([]*commonpb.KeyValue, 0, len(list))
	for _, a := range list {
		if kv := byKey[a.Key]; kv != nil {
			if _, ok := native(kv.Value); !ok && asJSON(kv.Value) == a.Value {
				out = append(out, kv)
				continue
			}
		}
		out = append(out, &commonpb.KeyValue{Key: a.Key, Value: otlpvalue.Of(a.Value)})
	}
	return out
}

// native returns a value as an attribute's, if it is of a type attributes have.
func native(v *commonpb.AnyValue) (any, bool) {
	switch x := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return x.StringValue, true
	case *commonpb.AnyValue_BoolValue:
		return x.BoolValue, true
	case *commonpb.AnyValue_IntValue:
		return x.IntValue, true
	case *commonpb.AnyValue_DoubleValue:
		return x.DoubleValue, true
	case *commonpb.AnyValue_ArrayValue:
		list := []string{}
		for _, e := range x.ArrayValue.GetValues() {
			s, isText := e.GetValue().(*commonpb.AnyValue_StringValue)
			if !isText {
				return nil, false
			}
			list = append(list, s.StringValue)
		}
		return list, true
	}
	return nil, false
}

// asJSON is a value as text, with everything in it that could be read there.
func asJSON(v *commonpb.AnyValue) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // an escape could hide something from a pattern
	if err := enc.Encode(plain(v)); err != nil {
		panic(err) // plain makes nothing that JSON does not have; should it, nothing leaves
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func plain(v *commonpb.AnyValue) any {
	switch x := v.GetValue().(type) {
	case *commonpb.AnyValue_ArrayValue:
		list := []any{}
		for _, e := range x.ArrayValue.GetValues() {
			list = append(list, plain(e))
		}
		return list
	case *commonpb.AnyValue_KvlistValue:
		m := map[string]any{}
		for _, kv := range x.KvlistValue.GetValues() {
			m[kv.Key] = plain(kv.Value)
		}
		return m
	case *commonpb.AnyValue_BytesValue:
		return string(x.BytesValue)
	case *commonpb.AnyValue_DoubleValue:
		if math.IsNaN(x.DoubleValue) || math.IsInf(x.DoubleValue, 0) {
			return fmt.Sprint(x.DoubleValue)
		}
	}
	value, _ := native(v)
	return value
}
