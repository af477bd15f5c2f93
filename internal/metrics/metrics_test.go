package metrics_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/internal/metrics"
	"cbc-otel/mapping"
)

var epoch = time.Date(2026, 12, 1, 21, 0, 0, 0, time.UTC)

func span(kind mapping.SpanKind, took time.Duration, pairs ...any) mapping.Span {
	s := mapping.Span{Kind: kind, Start: epoch, End: epoch.Add(took)}
	for i := 0; i < len(pairs); i += 2 {
		s.Attributes = append(s.Attributes, mapping.Attribute{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return s
}

func workflow(took time.Duration, pairs ...any) mapping.Span {
	return span(mapping.WorkflowSpan, took, append([]any{
		mapping.KeyOperation, mapping.InvokeWorkflow, mapping.KeyWorkflowName, "audit", mapping.KeyConversation, "session", mapping.KeyTaskID, "t",
	}, pairs...)...)
}

func agent(took time.Duration, pairs ...any) mapping.Span {
	return span(mapping.AgentSpan, took, append([]any{
		mapping.KeyOperation, mapping.InvokeAgent, mapping.KeyAgentName, "scout", mapping.KeyConversation, "session", mapping.KeyAgentID, "a1",
		mapping.KeyModel, "m1",
	}, pairs...)...)
}

// text is a line for each point.
func text(all []metrics.Metric) string {
	var b strings.Builder
	for _, m := range all {
		for _, p := range m.Points {
			b.WriteString(m.Name + " [" + m.Unit + "]")
			for _, a := range p.Attributes {
				fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
			}
			fmt.Fprintf(&b, ": %g", p.Sum)
			if m.Bounds != nil {
				fmt.Fprintf(&b, " of %d, %g to %g, %v", p.Count, p.Min, p.Max, p.Buckets)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func TestPoints(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		names bool
		spans []mapping.Span
		want  string
	}{
		{"nothing", false, nil, ""},
		{"what rules have dropped", false, []mapping.Span{span(mapping.PhaseSpan, time.Second), span(mapping.SessionSpan, time.Second), span(mapping.ToolSpan, time.Second)}, ""},
		{"a workflow", false, []mapping.Span{workflow(90*time.Second, mapping.KeyWorkflowStatus, "completed")}, `
gen_ai.invoke_workflow.duration [s]: 90 of 1, 90 to 90, [0 0 0 0 0 1 0 0 0 0 0 0]
cbc.workflows [{workflow}] cbc.workflow.status=completed: 1
`},
		{"failed ones with names", true, []mapping.Span{
			workflow(time.Second, mapping.KeyWorkflowStatus, "failed", mapping.KeyErrorType, "workflow_failed"),
			workflow(3*time.Hour, mapping.KeyWorkflowStatus, "failed", mapping.KeyErrorType, "workflow_failed"),
		}, `
gen_ai.invoke_workflow.duration [s] gen_ai.workflow.name=audit error.type=workflow_failed: 10801 of 2, 1 to 10800, [1 0 0 0 0 0 0 0 0 0 0 1]
cbc.workflows [{workflow}] gen_ai.workflow.name=audit cbc.workflow.status=failed: 2
`},
		{"agents", false, []mapping.Span{
			agent(1500*time.Millisecond, mapping.KeyAgentState, "done", mapping.KeyAgentStarted, true, mapping.KeyAgentTokens, int64(1000),
				mapping.KeyAgentToolCalls, int64(0), mapping.KeyAgentQueue, int64(250)),
			agent(1600*time.Millisecond, mapping.KeyAgentState, "done", mapping.KeyAgentStarted, true, mapping.KeyAgentTokens, int64(500),
				mapping.KeyAgentToolCalls, int64(3), mapping.KeyAgentQueue, int64(0)),
			agent(time.Hour, mapping.KeyAgentState, "error", mapping.KeyAgentStarted, true, mapping.KeyErrorType, "529"),
		}, `
gen_ai.invoke_agent.duration [s] gen_ai.request.model=m1: 3.1 of 2, 1.5 to 1.6, [0 0 0 0 2 0 0 0 0 0 0 0 0 0]
gen_ai.invoke_agent.duration [s] gen_ai.request.model=m1 error.type=529: 3600 of 1, 3600 to 3600, [0 0 0 0 0 0 0 0 0 0 0 0 0 1]
gen_ai.invoke_agent.tool_calls [{tool_call}]: 3 of 2, 0 to 3, [1 0 1 0 0 0 0 0 0]
cbc.agent.queue.duration [s]: 0.25 of 2, 0 to 0.25, [1 0 1 0 0 0 0 0 0 0 0 0 0 0]
cbc.agents [{agent}] gen_ai.request.model=m1 cbc.agent.state=done: 2
cbc.agents [{agent}] gen_ai.request.model=m1 cbc.agent.state=error: 1
cbc.tokens [{token}] gen_ai.request.model=m1: 1500
`},
		{"agents that were not invoked have no duration", false, []mapping.Span{
			agent(0, mapping.KeyAgentState, "cancelled", mapping.KeyAgentStarted, false, mapping.KeyAgentToolCalls, int64(1)),
			agent(0, mapping.KeyAgentState, "cached", mapping.KeyAgentStarted, true, mapping.KeyAgentTokens, int64(7)),
		}, `
cbc.agents [{agent}] gen_ai.request.model=m1 cbc.agent.state=cached: 1
cbc.agents [{agent}] gen_ai.request.model=m1 cbc.agent.state=cancelled: 1
cbc.tokens [{token}] gen_ai.request.model=m1: 7
`},
		{"what rules took away, or made something else", false, []mapping.Span{
			span(mapping.AgentSpan, time.Second, mapping.KeyModel, []string{"a", "b"}, mapping.KeyAgentTokens, "many", mapping.KeyAgentQueue, int64(-5)),
		}, `
gen_ai.invoke_agent.duration [s] gen_ai.request.model=[a b]: 1 of 1, 1 to 1, [0 0 0 0 1 0 0 0 0 0 0 0 0 0]
cbc.agents [{agent}] gen_ai.request.model=[a b]: 1
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := metrics.Collector{WorkflowNames: tt.names}
			c.Add(mapping.Tree{Spans: tt.spans})
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), text(c.Metrics())); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// However many models there are, the points are few, and nothing is left out of their sums.
func TestCardinality(t *testing.T) {
	t.Parallel()
	var c metrics.Collector
	const agents = 3 * metrics.MaxPoints
	for i := range agents {
		c.Add(mapping.Tree{Spans: []mapping.Span{
			span(mapping.AgentSpan, time.Second, mapping.KeyModel, fmt.Sprint("model-", i), mapping.KeyAgentName, fmt.Sprint("label-", i),
				mapping.KeyAgentID, fmt.Sprint("id-", i), mapping.KeyConversation, fmt.Sprint("session-", i), mapping.KeyAgentTokens, int64(1)),
		}})
	}
	all := c.Metrics()
	for _, m := range all {
		if len(m.Points) > metrics.MaxPoints+1 {
			t.Errorf("%s has %d points", m.Name, len(m.Points))
		}
		sum := 0.0
		for _, p := range m.Points {
			sum += p.Sum
		}
		if sum != agents {
			t.Errorf("%s: the points add up to %g, want %d", m.Name, sum, agents)
		}
	}
	got := text(all)
	if !strings.Contains(got, "cbc.tokens [{token}] otel.metric.overflow=true: 200\n") {
		t.Errorf("no point for the others:\n%s", got)
	}
	for _, word := range []string{"label-", "id-", "session-"} {
		if strings.Contains(got, word) {
			t.Errorf("points hold %s", word)
		}
	}
	if n := metrics.Count(all); n != 3*(metrics.MaxPoints+1) {
		t.Errorf("%d points", n)
	}
}

func TestResource(t *testing.T) {
	t.Parallel()
	got := metrics.Resource([]mapping.Attribute{{Key: "service.name", Value: "s"}, {Key: "session.id", Value: "x"}, {Key: mapping.KeyConversation, Value: "y"}})
	if diff := cmp.Diff([]mapping.Attribute{{Key: "service.name", Value: "s"}}, got); diff != "" {
		t.Error(diff)
	}
}
