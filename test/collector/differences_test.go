package collector

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// agent makes traces of one agent's span, which set then changes.
func agent(t *testing.T, attributes yaml, set ...func(ptrace.Span)) ptrace.Traces {
	t.Helper()
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(pcommon.SpanID{1})
	s.SetName("invoke_agent")
	if err := s.Attributes().FromRaw(attributes); err != nil {
		t.Fatal(err)
	}
	for _, f := range set {
		f(s)
	}
	return td
}

// differ checks what each of the two makes of the traces: so a difference that the collector gives up shows.
func differ(t *testing.T, p policy, in ptrace.Traces, theirs, our []any) {
	t.Helper()
	if d := cmp.Diff(theirs, facts(collector(t, p, in))); d != "" {
		t.Errorf("the collector (-want +got):\n%s", d)
	}
	if d := cmp.Diff(our, facts(ours(t, p, in))); d != "" {
		t.Errorf("ours (-want +got):\n%s", d)
	}
}

// span lists the facts of an agent's span without events and links.
func span(attributes yaml, name, message, tracestate string, more ...any) []any {
	if attributes == nil {
		attributes = yaml{}
	}
	return append([]any{yaml{"resource": yaml{}}, yaml{"span": attributes}, yaml{"name": name, "message": message, "tracestate": tracestate}}, more...)
}

func rule(actions ...any) policy { return policy{attributes: []any{yaml{"actions": actions}}} }

func TestProtectedKeys(t *testing.T) {
	t.Parallel()
	in := agent(t, yaml{"cbc.task.id": "t1", "error.type": "429", "x": "429"})
	differ(t, rule(yaml{"pattern": ".*", "action": "delete"}), in,
		span(nil, "invoke_agent", "", ""),
		span(yaml{"cbc.task.id": "t1", "error.type": "429"}, "invoke_agent", "", ""))
	differ(t, policy{redaction: yaml{"allowed_keys": []any{"x"}, "blocked_values": []any{"4.9"}}}, in,
		span(yaml{"x": "****"}, "invoke_agent", "", ""),
		span(yaml{"cbc.task.id": "t1", "error.type": "429", "x": "****"}, "invoke_agent", "", ""))
	// Named, they are like any other.
	both := span(yaml{"cbc.task.id": "t1", "x": "429"}, "invoke_agent", "", "")
	differ(t, rule(yaml{"key": "error.type", "action": "delete"}), in, both, both)
	differ(t, rule(yaml{"pattern": `^error\.type$`, "action": "delete"}), in, both, both)
}

func TestAllowAllKeysAbsent(t *testing.T) {
	t.Parallel()
	differ(t, policy{redaction: yaml{"blocked_values": []any{"b"}}}, agent(t, yaml{"a": "abc"}),
		span(nil, "invoke_agent", "", ""),
		span(yaml{"a": "a****c"}, "invoke_agent", "", ""))
}

func TestTextThatIsNoAttribute(t *testing.T) {
	t.Parallel()
	in := agent(t, yaml{}, func(s ptrace.Span) {
		s.SetName("a bad name")
		s.Status().SetCode(ptrace.StatusCodeError)
		s.Status().SetMessage("a bad message")
		s.TraceState().FromRaw("k=bad,l=good")
		s.Events().AppendEmpty().SetName("a bad event")
		l := s.Links().AppendEmpty()
		l.TraceState().FromRaw("k=bad")
		l.Attributes().PutStr("k", "bad")
	})
	differ(t, policy{redaction: yaml{"allow_all_keys": true, "blocked_values": []any{"bad"}, "summary": "debug"}}, in,
		span(nil, "a bad name", "a bad message", "k=bad,l=good", yaml{"event a bad event": yaml{}}, yaml{"link": yaml{"k": "bad"}}),
		span(yaml{"redaction.masked.keys": "span.name,status.message", "redaction.masked.count": int64(2)}, "a **** name", "a **** message", "l=good",
			yaml{"event a **** event": yaml{}}, yaml{"link": yaml{"k": "****", "redaction.masked.keys": "k", "redaction.masked.count": int64(1)}}))
}

func TestStatusMessageUnderAnAllowList(t *testing.T) {
	t.Parallel()
	in := agent(t, yaml{"a": "1"}, func(s ptrace.Span) { s.Status().SetMessage("why") })
	stays := span(yaml{"a": "1"}, "invoke_agent", "why", "")
	differ(t, policy{redaction: yaml{"allowed_keys": []any{"a"}}}, in, stays, span(yaml{"a": "1"}, "invoke_agent", "", ""))
	differ(t, policy{redaction: yaml{"allowed_keys": []any{"a", "status.message"}}}, in, stays, stays)
}

func TestNameFollowsAttribute(t *testing.T) {
	t.Parallel()
	in := agent(t, yaml{"gen_ai.agent.name": "alpha"}, func(s ptrace.Span) { s.SetName("invoke_agent alpha") })
	differ(t, rule(yaml{"key": "gen_ai.agent.name", "action": "delete"}), in,
		span(nil, "invoke_agent alpha", "", ""),
		span(nil, "invoke_agent", "", ""))
}

func TestDeleteAndHashReachFurther(t *testing.T) {
	t.Parallel()
	in := agent(t, yaml{"k": "1"}, func(s ptrace.Span) {
		s.Status().SetMessage("why")
		s.Events().AppendEmpty().Attributes().PutStr("k", "1")
		s.Links().AppendEmpty().Attributes().PutStr("k", "1")
	})
	if err := in.ResourceSpans().At(0).Resource().Attributes().FromRaw(yaml{"k": "1"}); err != nil {
		t.Fatal(err)
	}
	theirs := span(nil, "invoke_agent", "why", "", yaml{"event ": yaml{"k": "1"}}, yaml{"link": yaml{"k": "1"}})
	theirs[0] = yaml{"resource": yaml{"k": "1"}}
	differ(t, rule(yaml{"key": "k", "action": "delete"}, yaml{"key": "status.message", "action": "delete"}), in, theirs,
		span(nil, "invoke_agent", "", "", yaml{"event ": yaml{}}, yaml{"link": yaml{}}))
}

func TestArrays(t *testing.T) {
	t.Parallel()
	in := agent(t, yaml{"l": []any{"a secret", "b"}})
	differ(t, policy{redaction: yaml{"allow_all_keys": true, "blocked_values": []any{"secret"}}}, in,
		span(yaml{"l": []any{"a secret", "b"}}, "invoke_agent", "", ""),
		span(yaml{"l": []any{"a ****", "b"}}, "invoke_agent", "", ""))
	differ(t, policy{redaction: yaml{"allow_all_keys": true, "blocked_values": []any{"secret"}, "redact_all_types": true}}, in,
		span(yaml{"l": `["a ****","b"]`}, "invoke_agent", "", ""),
		span(yaml{"l": []any{"a ****", "b"}}, "invoke_agent", "", ""))
	// Masked whole they are one mask on both sides.
	both := span(yaml{"l": "****"}, "invoke_agent", "", "")
	differ(t, policy{redaction: yaml{"allow_all_keys": true, "blocked_key_patterns": []any{"l"}}}, in, both, both)
}

func TestPatternsOnArrays(t *testing.T) {
	t.Parallel()
	p := policy{attributes: []any{yaml{
		"include": yaml{"match_type": "regexp", "attributes": []any{yaml{"key": "l", "value": "^b$"}}},
		"actions": []any{yaml{"key": "found", "value": true, "action": "insert"}},
	}}}
	l := []any{"a", "b"}
	differ(t, p, agent(t, yaml{"l": l}),
		span(yaml{"l": l}, "invoke_agent", "", ""),
		span(yaml{"l": l, "found": true}, "invoke_agent", "", ""))
}

// Until 0.164 the collector masked each line by itself.
func TestLineBreaksUnderBlockedKeys(t *testing.T) {
	t.Parallel()
	both := span(yaml{"k": "****"}, "invoke_agent", "", "")
	differ(t, policy{redaction: yaml{"allow_all_keys": true, "blocked_key_patterns": []any{"k"}}}, agent(t, yaml{"k": "a\nb"}), both, both)
}

// The built-in secrets are ours alone.
func TestSecrets(t *testing.T) {
	t.Parallel()
	differ(t, policy{redaction: yaml{"allow_all_keys": true}}, agent(t, yaml{"k": "Bearer abcdef123456"}),
		span(yaml{"k": "Bearer abcdef123456"}, "invoke_agent", "", ""),
		span(yaml{"k": "Bearer abcdef123456"}, "invoke_agent", "", "")) // off, as ours() turns them off
	on := ours(t, policy{redaction: yaml{"secrets": true}}, agent(t, yaml{"k": "Bearer abcdef123456"}))
	if d := cmp.Diff(span(yaml{"k": "Bearer ****"}, "invoke_agent", "", ""), facts(on)); d != "" {
		t.Errorf("ours, with secrets (-want +got):\n%s", d)
	}
}
