package tree

import (
	"fmt"
	"strings"
	"time"
)

// Show draws one trace for people.
func Show(spans []Span) string {
	var b strings.Builder
	for _, root := range children(spans, "") {
		show(&b, spans, root, "", "", root.Start)
	}
	return b.String()
}

func show(b *strings.Builder, all []Span, s Span, in, below string, origin int64) {
	ms := func(us int64) string { return (time.Duration(us) * time.Microsecond).Round(time.Millisecond).String() }
	fmt.Fprintf(b, "%s  %s +%s%s\n", in+s.Name, ms(s.Start-origin), ms(s.Duration), notes(s))
	kids := children(all, s.ID)
	for i, kid := range kids {
		lead, rest := "├─ ", "│  "
		if i == len(kids)-1 {
			lead, rest = "└─ ", "   "
		}
		show(b, all, kid, below+lead, below+rest, origin)
	}
}

func notes(s Span) string {
	var b strings.Builder
	for _, key := range []string{"cbc.workflow.status", "cbc.workflow.agents.total", "cbc.usage.total_tokens", "cbc.phase.kind", "cbc.phase.tokens", "cbc.agent.state", "cbc.agent.attempt", "gen_ai.request.model", "cbc.agent.tokens", "cbc.agent.tool_calls", "cbc.agent.queue_ms", "error.type", "process.exit.code"} {
		if v := s.Value(key); v != "" {
			fmt.Fprintf(&b, "  %s=%s", strings.TrimPrefix(strings.TrimPrefix(key, "cbc."), "gen_ai."), v)
		}
	}
	for _, e := range s.Events {
		fmt.Fprintf(&b, "  [%s %s]", e.Name, strings.Join(values(e.Tags), " "))
	}
	if s.Error {
		fmt.Fprintf(&b, "  ERROR %q", s.Description)
	}
	return b.String()
}

func values(tags map[string]string) []string {
	var out []string
	for _, key := range []string{"status", "attempt", "reason"} {
		if _, v, ok := strings.Cut(tags[key], " "); ok {
			out = append(out, v)
		}
	}
	return out
}

// Outline draws what a stream tells of a workflow, without times: names, order, states.
func Outline(spans []Span) string {
	var b strings.Builder
	for _, root := range children(spans, "") {
		outline(&b, spans, root, "")
	}
	return b.String()
}

func outline(b *strings.Builder, all []Span, s Span, in string) {
	switch {
	case s.Tags["cbc.workflow.status"] != "":
		fmt.Fprintf(b, "%sworkflow %s: %s\n", in, s.Value("gen_ai.workflow.name"), s.Value("cbc.workflow.status"))
	case s.Tags["cbc.phase.index"] != "":
		fmt.Fprintf(b, "%sphase %s %s\n", in, s.Value("cbc.phase.index"), s.Value("cbc.phase.title"))
	default:
		fmt.Fprintf(b, "%sagent %s %s: %s\n", in, s.Value("cbc.agent.index"), s.Value("gen_ai.agent.name"), s.Value("cbc.agent.state"))
	}
	for _, kid := range children(all, s.ID) {
		outline(b, all, kid, in+"  ")
	}
}
