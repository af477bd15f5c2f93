package traces

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"cbc-otel/mapping"
)

// Summary is a workflow in a few words: a row of a listing.
type Summary struct {
	Trace    mapping.TraceID
	Root     mapping.SpanID // of the workflow
	Start    time.Time
	Duration time.Duration
	Command  string // service.name of what was run, "" if not known
	Workflow string
	Status   string // completed, failed, stopped, interrupted; running
	Failure  string // its description, "" without a failure
	Agents   int64
	Failed   int64
	Tokens   int64
	Known    bool // whether the tokens are
	Live     bool
	Path     string
}

// Key is that of the trace: see [Trace.Key].
func (s Summary) Key() string {
	return hex.EncodeToString(s.Trace[:]) + "/" + hex.EncodeToString(s.Root[:])
}

// Summary sums up a trace. Counts that rules took away are made up for from the agents that are there.
func (t Trace) Summary() Summary {
	root := &t.Tree.Spans[0]
	s := Summary{
		Trace: t.ID, Root: root.SpanID, Start: root.Start, Duration: root.End.Sub(root.Start), Live: t.Live, Path: t.Path,
		Workflow: root.Text(mapping.KeyWorkflowName), Status: root.Text(mapping.KeyWorkflowStatus), Failure: root.Status.Description,
	}
	for _, a := range t.Resource {
		if name, ok := a.Value.(string); ok && a.Key == "service.name" {
			s.Command = name
		}
	}
	if s.Status == "" {
		s.Status = "ended"
		if root.Status.Error {
			s.Status = "failed"
		}
	}
	var known [3]bool
	s.Agents, known[0] = root.Int(mapping.PrefixWorkflowAgents + "total")
	s.Failed, known[1] = root.Int(mapping.PrefixWorkflowAgents + "error")
	s.Tokens, known[2] = mapping.Tokens(root)
	s.Known = known[2]
	for i := range t.Tree.Spans {
		a := &t.Tree.Spans[i]
		if a.Kind != mapping.AgentSpan {
			continue
		}
		if !known[0] {
			s.Agents++
		}
		if !known[1] && a.Text(mapping.KeyAgentState) == "error" {
			s.Failed++
		}
		if n, ok := mapping.Tokens(a); ok && !known[2] {
			s.Tokens, s.Known = s.Tokens+n, true
		}
	}
	return s
}

// MarshalJSON writes times in UTC, the duration in milliseconds, and no tokens if they are not known.
func (s Summary) MarshalJSON() ([]byte, error) {
	row := struct {
		Trace    string    `json:"trace_id"`
		Span     string    `json:"span_id"`
		Start    time.Time `json:"start"`
		Duration float64   `json:"duration_ms"`
		Command  string    `json:"command,omitempty"`
		Workflow string    `json:"workflow,omitempty"`
		Status   string    `json:"status"`
		Failure  string    `json:"failure,omitempty"`
		Agents   int64     `json:"agents"`
		Failed   int64     `json:"failed"`
		Tokens   *int64    `json:"tokens,omitempty"`
		Live     bool      `json:"live,omitempty"`
		Path     string    `json:"path"`
	}{
		hex.EncodeToString(s.Trace[:]), hex.EncodeToString(s.Root[:]), s.Start.UTC(), float64(s.Duration) / float64(time.Millisecond),
		s.Command, s.Workflow, s.Status, s.Failure, s.Agents, s.Failed, nil, s.Live, s.Path,
	}
	if s.Known {
		row.Tokens = &s.Tokens
	}
	return json.Marshal(row)
}
