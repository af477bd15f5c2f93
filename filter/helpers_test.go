package filter

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/mapping"
)

// attrs makes attributes of keys and values that take turns.
func attrs(pairs ...any) []mapping.Attribute {
	var list []mapping.Attribute
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, mapping.Attribute{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return list
}

func compile(t testing.TB, c Config) *Rules {
	t.Helper()
	r, errs := Compile(c)
	for _, err := range errs {
		t.Fatal(err)
	}
	return r
}

// one makes rules of a single attribute rule.
func one(actions ...Action) Config {
	return Config{Attributes: []AttributeRule{{Actions: actions}}}
}

// treeOf makes a tree of one agent's span with these attributes.
func treeOf(list []mapping.Attribute) mapping.Tree {
	return mapping.Tree{Spans: []mapping.Span{{Kind: mapping.AgentSpan, SpanID: id(1), Name: "invoke_agent", Attributes: list}}}
}

func id(n byte) mapping.SpanID { return mapping.SpanID{n} }

// family is a tree of a workflow, two phases and three agents, one of them outside any phase.
func family() mapping.Tree {
	span := func(n, parent byte, kind mapping.SpanKind, name string, list []mapping.Attribute) mapping.Span {
		return mapping.Span{Kind: kind, SpanID: id(n), ParentID: id(parent), Name: name, Attributes: list}
	}
	return mapping.Tree{TaskID: "t1", Spans: []mapping.Span{
		span(1, 0, mapping.WorkflowSpan, "invoke_workflow nightly", attrs(mapping.KeyOperation, "invoke_workflow", mapping.KeyWorkflowName, "nightly", mapping.KeyTaskID, "t1", mapping.KeyWorkflowStatus, "completed", mapping.KeyWorkflowPhases, []string{"gather", "write"})),
		span(2, 1, mapping.PhaseSpan, "phase gather", attrs(mapping.KeyPhaseIndex, int64(1), mapping.KeyPhaseTitle, "gather")),
		span(3, 2, mapping.AgentSpan, "invoke_agent gather:a", attrs(mapping.KeyAgentName, "gather:a", mapping.KeyAgentIndex, int64(1), mapping.KeyAgentState, "done", mapping.KeyAgentTokens, int64(1200))),
		span(4, 1, mapping.PhaseSpan, "phase write", attrs(mapping.KeyPhaseIndex, int64(2), mapping.KeyPhaseTitle, "write")),
		span(5, 4, mapping.AgentSpan, "invoke_agent write:b", attrs(mapping.KeyAgentName, "write:b", mapping.KeyAgentIndex, int64(2), mapping.KeyAgentState, "error", mapping.KeyErrorType, "429")),
		span(6, 1, mapping.AgentSpan, "invoke_agent", attrs(mapping.KeyAgentName, "agent-3", mapping.KeyAgentIndex, int64(3), mapping.KeyAgentState, "cached")),
	}}
}

// names lists the names of a tree's spans.
func spanNames(t mapping.Tree) []string {
	var out []string
	for _, s := range t.Spans {
		out = append(out, s.Name)
	}
	return out
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// count returns the hits of a rule.
func count(t *testing.T, h Hits, rule string) int {
	t.Helper()
	for _, r := range h.Rules {
		if r.Rule == rule {
			return r.Count
		}
	}
	t.Fatalf("no rule %s in %v", rule, h.Rules)
	return 0
}
