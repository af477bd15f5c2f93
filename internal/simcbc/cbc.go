package simcbc

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"cbc-otel/internal/simcbc/wire"
)

// cbc is the dialect as published: agents have endedAt and a content-addressed id, queued ones are not
// listed, and after an interrupt the agents wind down late.
type cbc struct{}

func (cbc) taskID(s *session) string { return s.uuid() }

func (cbc) agentID(_ *session, a *agent) string {
	sum := sha256.Sum256([]byte(a.prompt))
	return "v2:" + hex.EncodeToString(sum[:])
}

func (cbc) stamp(s *session) wire.Stamp {
	return wire.Stamp{Timestamp: s.clock.Now().UTC().Format(wire.StampLayout)}
}

// stampSystem is the stamp of a system line: it also names the request of the turn.
func (d cbc) stampSystem(s *session) wire.Stamp {
	st := d.stamp(s)
	if s.turn != nil {
		st.RequestID = s.turn.requestID
	}
	return st
}

func (d cbc) opened(s *session) []any {
	return []any{
		wire.Init{
			Type: "system", Subtype: "init", CWD: "/srv/repo", SessionID: s.id, UUID: s.uuid(), Model: s.model,
			Tools: []string{"Agent", "Bash", "Read", "Workflow", "Write"}, MCPServers: []string{}, PermissionMode: "bypassPermissions",
			SlashCommands: []string{"release-audit", "workflows"}, APIKeySource: "www.codebuddy.ai", OutputStyle: "default",
		},
		wire.Status{Type: "system", Subtype: "status", UUID: s.uuid(), SessionID: s.id, Stamp: d.stampSystem(s)},
	}
}

func (d cbc) said(s *session, content ...any) any {
	return wire.Message{
		Type: "assistant", SessionID: s.id, UUID: s.uuid(), Stamp: d.stamp(s),
		Message: wire.MessageBody{ID: s.uuid(), Type: "message", Role: "assistant", Model: s.model, Content: content, Usage: &wire.MessageUsage{InputTokens: 1200, OutputTokens: 40}},
	}
}

func (d cbc) result(s *session, text string, isError bool) any {
	millis := s.clock.Now().Sub(s.turn.began).Milliseconds()
	return wire.CBCResult{
		Type: "result", Subtype: resultSubtype(isError), IsError: isError, Result: text, UUID: s.uuid(), SessionID: s.id,
		DurationMS: millis, APIMillis: millis, Turns: 2, Usage: wire.MessageUsage{InputTokens: 1200, OutputTokens: 40}, Denials: []string{}, Stamp: d.stamp(s),
	}
}

func resultSubtype(isError bool) string {
	if isError {
		return "error_during_execution"
	}
	return "success"
}

func (d cbc) started(r *run) []any {
	s := r.s
	return []any{
		wire.TaskStarted{
			Type: "system", Subtype: "task_started", TaskID: r.taskID, ToolUseID: r.toolUseID, TaskType: "local_workflow",
			WorkflowName: "path:" + r.scenario.name + ".workflow.js", Description: r.scenario.description,
			UUID: s.uuid(), SessionID: s.id, Stamp: d.stampSystem(s),
		},
		wire.Message{
			Type: "user", SessionID: s.id, UUID: s.uuid(), Stamp: d.stamp(s),
			Message: wire.MessageBody{Role: "user", Content: []any{wire.ToolResult{ToolUseID: r.toolUseID, Type: "tool_result", Content: "Workflow launched in background. Task ID " + r.taskID}}},
		},
	}
}

func (d cbc) progress(r *run) []any {
	var entries []json.RawMessage
	for _, p := range phases(r) {
		entries = append(entries, wire.Entry(p))
	}
	for _, a := range r.agents {
		if a.listed() && a.state != "queued" {
			entries = append(entries, wire.Entry(d.entry(r, a)))
		}
	}
	return []any{wire.TaskProgress{
		Type: "system", Subtype: "task_progress", TaskID: r.taskID, ToolUseID: r.toolUseID, Description: r.scenario.description,
		Usage: r.wireUsage(), Progress: entries, UUID: r.s.uuid(), SessionID: r.s.id, Stamp: d.stampSystem(r.s),
	}}
}

func (cbc) entry(r *run, a *agent) wire.CBCAgent {
	e := wire.CBCAgent{
		Type: "workflow_agent", Index: int64(a.index), AgentID: a.id, State: a.state, StartedAt: wire.Millis(a.startedAt), EndedAt: wire.Millis(a.endedAt),
		Label: a.label, PhaseTitle: r.phaseTitle(a), PhaseIndex: int64(a.phase), ResultPreview: a.result, Error: a.err,
	}
	if e.State == "progress" {
		e.State = "start"
	}
	if a.used > 0 {
		e.Tokens = ptr(a.used)
	}
	return e
}

func (cbc) unchanged(*run) []any { return nil }

// abandon ends the agents in flight: each is to be seen in a terminal state before the workflow is
// (protocol section 6).
func (cbc) abandon(r *run) {
	for _, a := range r.agents {
		if a.inFlight() {
			r.abort(a, "workflow failed")
			r.pending = true
		}
	}
}

func (d cbc) ended(r *run, status, err string) []any {
	s := r.s
	n := wire.TaskNotification{
		Type: "system", Subtype: "task_notification", TaskID: r.taskID, Status: notified(status), Summary: summary(r, status, err),
		OutputFile: "/tmp/agent/" + s.id + "/tasks/" + r.taskID + ".output", UUID: s.uuid(), SessionID: s.id, Stamp: d.stampSystem(s),
	}
	if status != "killed" {
		u := r.wireUsage()
		n.Usage = &u
	}
	return []any{
		wire.TaskUpdated{
			Type: "system", Subtype: "task_updated", TaskID: r.taskID, UUID: s.uuid(), SessionID: s.id, Stamp: d.stampSystem(s),
			Patch: wire.Patch{Status: status, EndTime: wire.Millis(s.clock.Now()), Error: err},
		},
		n,
	}
}

// interrupt acknowledges first; the agents follow one by one, the last after Options.Late (protocol 4.1).
func (cbc) interrupt(s *session, requestID, reason string) {
	s.emit(answer(requestID, nil))
	for _, r := range s.stopRuns() {
		var left []*agent
		for _, a := range r.agents {
			if a.inFlight() {
				left = append(left, a)
			}
		}
		for i, a := range left {
			s.after(s.opt.Late*time.Duration(i+1)/time.Duration(len(left)), nil, func() {
				r.abort(a, reason)
				s.emit(s.dialect.progress(r)...)
			})
		}
	}
	s.breakTurn()
}

// stopTask is refused: the protocol has no command that stops one workflow (section 4.1).
func (cbc) stopTask(s *session, requestID, _ string) {
	s.emit(refusal(requestID, "unknown control request: stop_task"))
}
