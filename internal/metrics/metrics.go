// Package metrics sums up finished workflows as the data points of OpenTelemetry metrics.
//
// Names, units and bounds that start with gen_ai are those of the semantic conventions for generative AI; the rest is
// ours, under cbc. Points are told apart by few words alone: states, error types, models. Nothing that names one
// session, workflow run or agent is in them.
package metrics

import "cbc-otel/mapping"

// Names of the metrics.
const (
	WorkflowDuration = "gen_ai.invoke_workflow.duration"
	AgentDuration    = "gen_ai.invoke_agent.duration"
	AgentToolCalls   = "gen_ai.invoke_agent.tool_calls"

	Workflows  = "cbc.workflows"
	Agents     = "cbc.agents"
	Tokens     = "cbc.tokens"
	QueueTime  = "cbc.agent.queue.duration"
	overflowed = "otel.metric.overflow" // by the specification of the metrics SDK: its point stands for many
)

// MaxPoints is how many points a metric has at most. What is beyond goes into one more that has the attribute
// otel.metric.overflow alone.
const MaxPoints = 100

// Metric is one metric with all its points. Bounds are those of a histogram, in its unit; nil for a sum, which only
// grows.
type Metric struct {
	Name, Unit, Description string
	Bounds                  []float64
	Points                  []Point
}

// Point holds what was recorded with the same attributes, which are in the order of the metric's keys. Sum is the
// value of a sum, and a histogram's sum of values; the rest is a histogram's: Buckets has one more element than there
// are bounds.
type Point struct {
	Attributes []mapping.Attribute
	Sum        float64
	Count      uint64
	Min, Max   float64
	Buckets    []uint64
}

// The bounds of the conventions. They have none for waiting; an agent's are as good.
var (
	workflowBounds = []float64{1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200}
	agentBounds    = []float64{0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6}
	callBounds     = []float64{1, 2, 4, 8, 16, 32, 64, 128}
)

// definitions lists all metrics in the order they are exported in.
var definitions = []Metric{
	{Name: WorkflowDuration, Unit: "s", Description: "How long workflows took, from end to end.", Bounds: workflowBounds},
	{Name: AgentDuration, Unit: "s", Description: "How long agents that started took, from end to end.", Bounds: agentBounds},
	{Name: AgentToolCalls, Unit: "{tool_call}", Description: "How many tool calls an agent made.", Bounds: callBounds},
	{Name: QueueTime, Unit: "s", Description: "How long agents waited before they started.", Bounds: agentBounds},
	{Name: Workflows, Unit: "{workflow}", Description: "Workflows by the status they ended with."},
	{Name: Agents, Unit: "{agent}", Description: "Agents by the state they ended in."},
	{Name: Tokens, Unit: "{token}", Description: "Tokens that agents used."},
}
