package traces

import "cbc-otel/mapping"

// Kinds of spans that others record below agents.
const (
	RequestSpan = mapping.RequestSpan
	ToolSpan    = mapping.ToolSpan
)

// Kind tells the kind of a span by its attributes or, where rules took those away, by its name; "" for one that is
// none of those known.
func Kind(s *mapping.Span) mapping.SpanKind {
	if own := mapping.KindOf(s); own != "" {
		return own
	}
	switch s.Text(mapping.KeyOperation) {
	case "chat", "generate_content", "text_completion":
		return RequestSpan
	case "execute_tool":
		return ToolSpan
	}
	return ""
}
