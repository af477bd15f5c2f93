package mapping

import "strings"

// KindOf tells what kind of span it is that was exported earlier: by its attributes or, where rules took those
// away, by its name; "" for one that is none of ours.
func KindOf(s *Span) SpanKind {
	operation, prefix := "", SpanKind("")
	for i := range s.Attributes {
		a := &s.Attributes[i]
		switch {
		case a.Key == KeyNativeKind:
			if kind, ok := a.Value.(string); ok && kind != "" {
				return SpanKind(kind) // the CLI's own spans may have the same operations
			}
		case a.Key == KeyOperation:
			operation, _ = a.Value.(string)
		case a.Key == KeyExecutable:
			prefix = SessionSpan
		case strings.HasPrefix(a.Key, "cbc.phase."):
			prefix = PhaseSpan
		case strings.HasPrefix(a.Key, "cbc.workflow."):
			prefix = WorkflowSpan
		case strings.HasPrefix(a.Key, "cbc.agent."):
			prefix = AgentSpan
		}
	}
	word, _, _ := strings.Cut(s.Name, " ")
	for _, known := range []string{operation, word} {
		switch known {
		case InvokeWorkflow:
			return WorkflowSpan
		case InvokeAgent:
			return AgentSpan
		}
	}
	if prefix == "" && word == "phase" {
		return PhaseSpan
	}
	return prefix
}
