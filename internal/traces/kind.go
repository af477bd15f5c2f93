package traces

import (
	"strings"

	"cbc-otel/mapping"
)

// Kinds of spans that others record below agents.
const (
	RequestSpan mapping.SpanKind = "request" // to a model
	ToolSpan    mapping.SpanKind = "tool"
)

// Kind tells the kind of a span by its attributes or, where rules took those away, by its name; "" for one that is
// none of those known.
func Kind(s *mapping.Span) mapping.SpanKind {
	switch s.Text(mapping.KeyOperation) {
	case mapping.InvokeWorkflow:
		return mapping.WorkflowSpan
	case mapping.InvokeAgent:
		return mapping.AgentSpan
	case "chat", "generate_content", "text_completion":
		return RequestSpan
	case "execute_tool":
		return ToolSpan
	}
	for i := range s.Attributes {
		switch key := s.Attributes[i].Key; {
		case strings.HasPrefix(key, "cbc.phase."):
			return mapping.PhaseSpan
		case strings.HasPrefix(key, "cbc.workflow."):
			return mapping.WorkflowSpan
		case strings.HasPrefix(key, "cbc.agent."):
			return mapping.AgentSpan
		}
	}
	word, _, _ := strings.Cut(s.Name, " ")
	switch word {
	case mapping.InvokeWorkflow:
		return mapping.WorkflowSpan
	case mapping.InvokeAgent:
		return mapping.AgentSpan
	case "phase":
		return mapping.PhaseSpan
	}
	return ""
}
