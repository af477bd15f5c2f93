package filter

import (
	"strings"
	"unicode/utf8"

	"cbc-otel/mapping"
)

// maxName is the length of a span's name in runes.
const maxName = 128

// nameKeys tells of which attribute the name of a span is made, after the operation.
func nameKey(kind mapping.SpanKind) string {
	switch kind {
	case mapping.WorkflowSpan:
		return mapping.KeyWorkflowName
	case mapping.PhaseSpan:
		return mapping.KeyPhaseTitle
	case mapping.AgentSpan:
		return mapping.KeyAgentName
	case mapping.SessionSpan:
		return mapping.KeyExecutable
	}
	return ""
}

// rememberName notes that the span's name repeats an attribute, so that it can follow what rules do to it.
func (w *work) rememberName(s *mapping.Span) {
	head, rest, _ := strings.Cut(s.Name, " ")
	if s.Kind == mapping.SessionSpan {
		head, rest = "", s.Name // there is no operation
	}
	key := nameKey(s.Kind)
	was, ok := w.own.get(key)
	rest = strings.TrimSuffix(rest, "…")
	if ok && rest != "" && strings.HasPrefix(asText(was), rest) {
		w.nameKey, w.nameWas, w.nameHead = key, was, head
	}
}

// followName makes the name anew when the attribute it repeats is gone or another: a label that must not
// leave as gen_ai.agent.name must not leave in invoke_agent {label} either.
func (w *work) followName(s *mapping.Span) {
	if w.nameKey == "" {
		return
	}
	is, ok := w.own.get(w.nameKey)
	if ok && sameValue(is, w.nameWas) {
		return
	}
	text := ""
	if ok {
		text = asText(is)
	}
	if s.Name = cut(strings.TrimSpace(w.nameHead+" "+text), maxName); s.Name == "" {
		s.Name = "session"
	}
}

// redactName masks what is blocked in a name, unless it repeats an attribute that is ignored.
func (p *pass) redactName(name string, w *work) string {
	if w.nameKey != "" && p.facts(w.nameKey).ignored >= 0 {
		return name
	}
	return p.redactLoose(name)
}

// cut returns at most n runes of s, the last one being … if there were more.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:n-1]) + "…"
}
