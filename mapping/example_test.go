package mapping_test

import (
	"fmt"
	"time"

	"cbc-otel/mapping"
)

// A workflow of one phase with two agents, the second of which failed.
func Example() {
	start := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	agent := func(index int64, label, state string, end int) mapping.Agent {
		return mapping.Agent{
			Index: index, Label: label, State: state, StartedAt: at(1), LastProgressAt: at(end),
			PhaseIndex: mapping.Number{Value: 1, Valid: true}, PhaseTitle: "Gather",
		}
	}
	failed := agent(2, "gather:beta", "error", 7)
	failed.Error = "API Error: 529 overloaded"

	m := mapping.New(mapping.Options{Grace: 5 * time.Second})
	for _, event := range []mapping.Event{
		{Kind: mapping.Started, Received: at(0), TaskID: "t1", TaskType: "local_workflow", WorkflowName: "audit"},
		{Kind: mapping.Progress, Received: at(7), TaskID: "t1", Agents: []mapping.Agent{agent(1, "gather:alpha", "done", 4), failed}},
		{Kind: mapping.Updated, Received: at(8), TaskID: "t1", Status: "completed", EndTime: at(8)},
		{Kind: mapping.Notified, Received: at(8), TaskID: "t1", Status: "completed"},
	} {
		for _, tree := range m.Observe(event) {
			for _, span := range tree.Spans {
				fmt.Printf("%v %s: %q\n", span.End.Sub(span.Start), span.Name, span.Status.Description)
			}
		}
	}
	fmt.Println(len(m.Close(mapping.End{})), "left open")
	// Output:
	// 8s invoke_workflow audit: ""
	// 6s phase Gather: "1 of 2 agents failed"
	// 3s invoke_agent gather:alpha: ""
	// 6s invoke_agent gather:beta: "API Error: 529 overloaded"
	// 0 left open
}
