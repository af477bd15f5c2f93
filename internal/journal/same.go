package journal

import (
	"slices"

	"cbc-otel/mapping"
)

// same reports whether two spans are equal. It may be wrong about equal ones, at the cost of writing them again.
func same(a, b *mapping.Span) bool {
	return a.SpanID == b.SpanID && a.ParentID == b.ParentID && a.TraceID == b.TraceID &&
		a.Kind == b.Kind && a.OTelKind == b.OTelKind && a.Name == b.Name && a.Start.Equal(b.Start) && a.End.Equal(b.End) && a.Status == b.Status &&
		a.Parent == b.Parent && sameAttributes(a.Attributes, b.Attributes) &&
		slices.EqualFunc(a.Events, b.Events, func(a, b mapping.SpanEvent) bool {
			return a.Name == b.Name && a.Time.Equal(b.Time) && sameAttributes(a.Attributes, b.Attributes)
		}) &&
		slices.EqualFunc(a.Links, b.Links, func(a, b mapping.Link) bool {
			return a.Context == b.Context && sameAttributes(a.Attributes, b.Attributes)
		})
}

func sameAttributes(a, b []mapping.Attribute) bool {
	return slices.EqualFunc(a, b, func(a, b mapping.Attribute) bool {
		if a.Key != b.Key {
			return false
		}
		list, ok := a.Value.([]string)
		if !ok {
			_, ok = b.Value.([]string)
			return !ok && a.Value == b.Value
		}
		other, ok := b.Value.([]string)
		return ok && slices.Equal(list, other)
	})
}
