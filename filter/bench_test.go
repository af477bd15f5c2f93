package filter

import (
	"fmt"
	"testing"

	"cbc-otel/mapping"
)

// crowd is a tree of a workflow with that many agents, with the attributes agents have.
func crowd(agents int) mapping.Tree {
	t := mapping.Tree{Spans: []mapping.Span{family().Spans[0]}}
	for i := range agents {
		n := int64(i)
		t.Spans = append(t.Spans, mapping.Span{
			Kind: mapping.AgentSpan, SpanID: mapping.SpanID{2, byte(i >> 8), byte(i)}, ParentID: id(1),
			Name: fmt.Sprintf("invoke_agent gather: source %d", i),
			Attributes: attrs(
				mapping.KeyOperation, "invoke_agent", mapping.KeyAgentName, fmt.Sprintf("gather: source %d", i),
				mapping.KeyConversation, "550e8400-e29b-41d4-a716-446655440000", mapping.KeyWorkflowName, "nightly",
				mapping.KeyModel, "some-model-4-5", mapping.KeyAgentID, fmt.Sprintf("a%016x", i*7919), mapping.KeyAgentIndex, n,
				mapping.KeyAgentState, "done", mapping.KeyAgentStarted, true, mapping.KeyAgentAttempt, int64(1),
				mapping.KeyAgentType, "general-purpose", mapping.KeyAgentTokens, n*100, mapping.KeyAgentToolCalls, n%9,
				mapping.KeyAgentQueue, n*3, mapping.KeyAgentActive, n*500, mapping.KeyAgentLastTool, "Bash",
			),
		})
	}
	return t
}

// hundred is a file of 100 rules of all sorts.
func hundred() Config {
	var c Config
	for i := range 40 {
		c.Attributes = append(c.Attributes, AttributeRule{
			Include: &Match{MatchType: "regexp", Spans: []string{"agent"}, SpanNames: []string{fmt.Sprintf("source %d$", i)}},
			Actions: []Action{{Action: "insert", Key: fmt.Sprintf("team.%d", i), Value: "x"}, {Action: "delete", Pattern: fmt.Sprintf(`^cbc\.x%d\.`, i)}},
		})
	}
	for i := range 20 {
		c.Redaction.BlockedValues = append(c.Redaction.BlockedValues, fmt.Sprintf(`%d[0-9]{12}(?:[0-9]{3})?`, i))
		c.Redaction.BlockedKeyPatterns = append(c.Redaction.BlockedKeyPatterns, fmt.Sprintf(`.*private%d.*`, i))
		c.Drop = append(c.Drop, DropRule{Attributes: []AttributeMatch{{Key: mapping.KeyAgentType, Value: fmt.Sprint(i)}}})
	}
	return c
}

func BenchmarkApply(b *testing.B) {
	for name, c := range map[string]Config{"allow all": {}, "100 rules": hundred(), "no secrets": {Redaction: Redaction{Secrets: &no}}} {
		b.Run(name+"/1000 agents", func(b *testing.B) {
			r := compile(b, c)
			tree := crowd(1000)
			b.ReportAllocs()
			for b.Loop() {
				t := tree
				r.Apply(&t)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	c := hundred()
	for b.Loop() {
		Compile(c)
	}
}
