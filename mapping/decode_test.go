package mapping

import (
	"encoding/json"
	"testing"
	"time"

	"cbc-otel/internal/testdata"
)

// A decoder for well-formed lines, so that recorded streams can be used here without the package that depends on
// this one.
type line struct {
	Type, Subtype string
	SessionID     string `json:"session_id"`
	TaskID        string `json:"task_id"`
	ToolUseID     string `json:"tool_use_id"`
	TaskType      string `json:"task_type"`
	WorkflowName  string `json:"workflow_name"`
	Description   string
	Prompt        string
	Summary       string
	Status        string
	Timestamp     time.Time `json:"__timestamp"`
	Usage         struct {
		TotalTokens *int64 `json:"total_tokens"`
		ToolUses    *int64 `json:"tool_uses"`
		DurationMS  *int64 `json:"duration_ms"`
	}
	Patch struct {
		Status  string
		EndTime int64 `json:"end_time"`
		Error   string
	}
	Progress []entry         `json:"workflow_progress"`
	Result   json.RawMessage `json:"tool_use_result"`
}

type entry struct {
	Type, Title, Kind                                       string
	Index                                                   int64
	AgentID, Label, State, PhaseTitle, Model, FallbackModel string
	Cached                                                  bool
	PhaseIndex, Attempt, Tokens, ToolCalls, DurationMS      *int64
	AgentType, PromptPreview, ResultPreview, Error          string
	EndedWithRun, LastToolName, LastToolSummary             string
	LastAttemptReason                                       string
	QueuedAt, StartedAt, EndedAt, LastProgressAt            int64
}

func num(n *int64) Number {
	if n == nil {
		return Number{}
	}
	return Number{*n, true}
}

func ms(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(n)
}

// decode returns false for a line that is no event.
func decode(t testing.TB, raw []byte) (Event, bool) {
	t.Helper()
	var l line
	if err := json.Unmarshal(raw, &l); err != nil {
		t.Fatalf("%v in %.80s", err, raw)
	}
	ev := Event{
		SessionID: l.SessionID, TaskID: l.TaskID, ToolUseID: l.ToolUseID, TaskType: l.TaskType,
		WorkflowName: l.WorkflowName, Description: l.Description, Script: l.Prompt, Summary: l.Summary,
		Timestamp: l.Timestamp, Status: l.Status,
		Usage: Usage{num(l.Usage.TotalTokens), num(l.Usage.ToolUses), num(l.Usage.DurationMS)},
	}
	if l.Type == "user" {
		var r struct{ TaskID, RunID string }
		if json.Unmarshal(l.Result, &r) != nil || r.RunID == "" {
			return Event{}, false
		}
		ev.Kind, ev.TaskID, ev.RunID = Launched, r.TaskID, r.RunID
		return ev, true
	}
	if l.Type != "system" {
		return Event{}, false
	}
	switch l.Subtype {
	case "init":
		ev.Kind = Initialized
	case "task_started":
		ev.Kind = Started
	case "task_progress":
		ev.Kind = Progress
		for _, e := range l.Progress {
			ev.add(e)
		}
	case "task_updated":
		ev.Kind, ev.Status, ev.EndTime, ev.Error = Updated, l.Patch.Status, ms(l.Patch.EndTime), l.Patch.Error
	case "task_notification":
		ev.Kind = Notified
	default:
		return Event{}, false
	}
	return ev, true
}

func (ev *Event) add(e entry) {
	switch e.Type {
	case "workflow_phase":
		ev.Phases = append(ev.Phases, Phase{e.Index, e.Title, e.Kind})
	case "workflow_agent":
		ev.Agents = append(ev.Agents, Agent{
			Index: e.Index, ID: e.AgentID, Label: e.Label, State: e.State, Cached: e.Cached,
			PhaseIndex: num(e.PhaseIndex), PhaseTitle: e.PhaseTitle, Model: e.Model, FallbackModel: e.FallbackModel,
			Type: e.AgentType, PromptPreview: e.PromptPreview, ResultPreview: e.ResultPreview, Error: e.Error,
			EndedWithRun: e.EndedWithRun, LastTool: e.LastToolName, LastToolNote: e.LastToolSummary,
			RetryReason: e.LastAttemptReason, QueuedAt: ms(e.QueuedAt), StartedAt: ms(e.StartedAt),
			EndedAt: ms(e.EndedAt), LastProgressAt: ms(e.LastProgressAt), Attempt: num(e.Attempt),
			Tokens: num(e.Tokens), ToolCalls: num(e.ToolCalls), DurationMS: num(e.DurationMS),
		})
	}
}

// capture returns the events of a recorded stream.
func capture(t testing.TB, name string) []Event {
	t.Helper()
	c, err := testdata.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := c.Lines()
	if err != nil {
		t.Fatal(err)
	}
	var all []Event
	for _, l := range lines {
		if ev, ok := decode(t, l); ok {
			all = append(all, ev)
		}
	}
	return all
}

// run returns the trees of a stream of events to its end.
func run(o Options, events ...Event) []Tree {
	m := New(o)
	var trees []Tree
	for _, ev := range events {
		trees = append(trees, m.Observe(ev)...)
	}
	return append(trees, m.Close(End{})...)
}
