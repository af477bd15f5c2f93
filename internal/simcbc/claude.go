package simcbc

import (
	"encoding/json"

	"cbc-otel/internal/simcbc/wire"
)

// claude is the dialect of Claude Code 2.1.220 as it was recorded: queued agents are listed, a retry has
// a new agent id and another label, and after an interrupt running agents stay as they were for ever.
type claude struct{}

func (claude) taskID(s *session) string {
	b := []byte("w00000000")
	for i := range b[1:] {
		b[i+1] = "0123456789abcdefghijklmnopqrstuvwxyz"[s.rng.IntN(36)]
	}
	return string(b)
}

func (claude) agentID(s *session, _ *agent) string { return "a" + s.hex(16) }

func (claude) opened(s *session) []any {
	return []any{wire.Init{
		Type: "system", Subtype: "init", CWD: "/srv/repo", SessionID: s.id, UUID: s.uuid(), Model: s.model, Version: "2.1.220",
		Tools: []string{"Bash", "Edit", "Read", "Task", "Workflow", "Write"}, MCPServers: []string{}, PermissionMode: "bypassPermissions",
		SlashCommands: []string{"release-audit"}, APIKeySource: "ANTHROPIC_API_KEY", OutputStyle: "default",
	}}
}

func (claude) time(s *session) string { return s.clock.Now().UTC().Format(wire.StampLayout) }

func (d claude) said(s *session, content ...any) any {
	return wire.Message{
		Type: "assistant", SessionID: s.id, UUID: s.uuid(), Timestamp: d.time(s),
		Message: wire.MessageBody{ID: "msg_" + s.hex(12), Type: "message", Role: "assistant", Model: s.model, Content: content, Usage: &wire.MessageUsage{InputTokens: 1200, OutputTokens: 40, CacheRead: 300}},
	}
}

func (claude) result(s *session, text string, isError bool) any {
	millis := s.clock.Now().Sub(s.turn.began).Milliseconds()
	return wire.ClaudeResult{
		IsError: isError, APIMillis: millis, Turns: 2, StopReason: "end_turn", SessionID: s.id, CostUSD: 0.0086,
		Usage: wire.MessageUsage{InputTokens: 2400, OutputTokens: 80, CacheRead: 600}, Denials: []string{}, Terminal: "completed",
		Subtype: resultSubtype(isError), Result: text, Type: "result", DurationMS: millis, UUID: s.uuid(),
	}
}

func (d claude) started(r *run) []any {
	s := r.s
	dir := "/home/ci/.claude/projects/-srv-repo/" + s.id
	return []any{
		d.background(s),
		wire.TaskStarted{
			Type: "system", Subtype: "task_started", TaskID: r.taskID, ToolUseID: r.toolUseID, Description: r.scenario.description,
			TaskType: "local_workflow", WorkflowName: r.scenario.name, Prompt: script(r.scenario), UUID: s.uuid(), SessionID: s.id,
		},
		wire.Message{
			Type: "user", SessionID: s.id, UUID: s.uuid(), Timestamp: d.time(s),
			Message: wire.MessageBody{Role: "user", Content: []any{wire.ToolResult{ToolUseID: r.toolUseID, Type: "tool_result", Content: "Workflow launched in background. Task ID " + r.taskID}}},
			ToolUseResult: &wire.ToolUseResult{
				Status: "async_launched", TaskID: r.taskID, TaskType: "local_workflow", WorkflowName: r.scenario.name, RunID: r.id, Summary: r.scenario.description,
				TranscriptDir: dir + "/subagents/workflows/" + r.id, ScriptPath: dir + "/workflows/scripts/" + r.scenario.name + "-" + r.id + ".js",
			},
		},
	}
}

// background lists the workflows that run.
func (claude) background(s *session) any {
	tasks := []wire.BackgroundTask{}
	for _, r := range s.open() {
		tasks = append(tasks, wire.BackgroundTask{TaskID: r.taskID, TaskType: "local_workflow", Description: r.scenario.description})
	}
	return wire.BackgroundTasks{Type: "system", Subtype: "background_tasks_changed", Tasks: tasks, UUID: s.uuid(), SessionID: s.id}
}

func (d claude) progress(r *run) []any {
	var entries []json.RawMessage
	for _, p := range phases(r) {
		entries = append(entries, wire.Entry(p))
	}
	for _, a := range r.agents {
		if a.listed() {
			entries = append(entries, wire.Entry(d.entry(r, a)))
		}
	}
	return []any{d.update(r, entries)}
}

func (d claude) unchanged(r *run) []any { return []any{d.update(r, nil)} }

func (claude) update(r *run, entries []json.RawMessage) any {
	label := r.last.label + r.last.retryLabel
	description := label
	if title := r.phaseTitle(r.last); title != "" {
		description = title + ": " + label
	}
	return wire.TaskProgress{
		Type: "system", Subtype: "task_progress", TaskID: r.taskID, ToolUseID: r.toolUseID, Description: description, Usage: r.wireUsage(),
		LastToolName: label, Summary: r.scenario.description, Progress: entries, UUID: r.s.uuid(), SessionID: r.s.id,
	}
}

func (claude) entry(r *run, a *agent) wire.ClaudeAgent {
	e := wire.ClaudeAgent{
		Type: "workflow_agent", Index: int64(a.index), Label: a.label + a.retryLabel, PhaseIndex: int64(a.phase), PhaseTitle: r.phaseTitle(a),
		AgentID: a.id, Model: a.model, State: a.state, StartedAt: wire.Millis(a.startedAt), QueuedAt: wire.Millis(a.queuedAt), Attempt: a.attempt,
		LastAttemptReason: a.retryReason, LastToolName: a.lastTool, PromptPreview: a.prompt, LastProgressAt: wire.Millis(a.movedAt),
		Error: a.err, ResultPreview: a.result,
	}
	if a.lastTool != "" {
		e.LastToolSummary = a.label
	}
	switch a.state {
	case "queued":
		e.State = "start"
	case "cached":
		e.State, e.Cached = "done", true
		return e
	case "done", "error":
		e.DurationMS = ptr(a.active.Milliseconds())
		e.Tokens, e.ToolCalls = ptr(a.used), ptr(a.toolCalls)
	case "progress":
		e.Tokens, e.ToolCalls = ptr(a.used), ptr(a.toolCalls)
	}
	return e
}

// abandon leaves agents in flight as they are.
func (claude) abandon(*run) {}

func (d claude) ended(r *run, status, err string) []any {
	s := r.s
	n := wire.TaskNotification{
		Type: "system", Subtype: "task_notification", TaskID: r.taskID, ToolUseID: r.toolUseID, Status: notified(status), Summary: summary(r, status, err),
		OutputFile: "/tmp/agent/-srv-repo/" + s.id + "/tasks/" + r.taskID + ".output", UUID: s.uuid(), SessionID: s.id,
	}
	if status != "killed" {
		u := r.wireUsage()
		n.Usage = &u
	}
	return []any{
		d.background(s),
		wire.TaskUpdated{
			Type: "system", Subtype: "task_updated", TaskID: r.taskID, UUID: s.uuid(), SessionID: s.id,
			Patch: wire.Patch{Status: status, EndTime: wire.Millis(s.clock.Now()), Error: err},
		},
		n,
	}
}

// interrupt answers last, when everything has stopped.
func (claude) interrupt(s *session, requestID, _ string) {
	s.stopRuns()
	s.breakTurn()
	s.emit(answer(requestID, map[string][]string{"still_queued": {}}))
}

// stopTask stops one workflow. For one that ended or never was, it succeeds all the same.
func (claude) stopTask(s *session, requestID, taskID string) {
	for _, r := range s.open() {
		if r.taskID == taskID {
			r.stop()
		}
	}
	s.emit(answer(requestID, map[string]string{}))
}
