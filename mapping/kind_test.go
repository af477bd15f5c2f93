package mapping

import "testing"

func TestKindOf(t *testing.T) {
	t.Parallel()
	attrs := func(kv ...any) (list []Attribute) {
		for i := 0; i < len(kv); i += 2 {
			list = append(list, Attribute{kv[i].(string), kv[i+1]})
		}
		return list
	}
	for _, tt := range []struct {
		name  string
		attrs []Attribute
		want  SpanKind
	}{
		{"invoke_workflow audit", nil, WorkflowSpan},
		{"renamed", attrs(KeyOperation, InvokeWorkflow), WorkflowSpan},
		{"renamed", attrs(KeyWorkflowStatus, "completed"), WorkflowSpan},
		{"phase Gather", nil, PhaseSpan},
		{"renamed", attrs(KeyPhaseIndex, int64(1)), PhaseSpan},
		{"invoke_agent", nil, AgentSpan},
		{"renamed", attrs(KeyAgentState, "done"), AgentSpan},
		{"claude", attrs(KeyExecutable, "claude", KeyPID, int64(1)), SessionSpan},
		{"claude_code.interaction", attrs(KeyOperation, InvokeAgent, KeyNativeKind, "native"), NativeSpan},
		{"claude_code.llm_request", attrs(KeyNativeKind, "request"), RequestSpan},
		{"something", attrs("key", "value"), ""},
	} {
		if got := KindOf(&Span{Name: tt.name, Attributes: tt.attrs}); got != tt.want {
			t.Errorf("%s %v: %q, want %q", tt.name, tt.attrs, got, tt.want)
		}
	}
}

// Every id an attempt was seen with is kept, each once, the latest last.
func TestAgentIDs(t *testing.T) {
	t.Parallel()
	var a agent
	for _, id := range []string{"", "a1", "a1", "a2", "a1", "a3", ""} {
		a.renamed(id)
	}
	b := &builder{}
	b.done = map[string]string{}
	got := b.agentIDs(&a)
	if len(got) != 3 || got[0] != "a1" || got[1] != "a2" || got[2] != "a3" {
		t.Errorf("%q", got)
	}
}
