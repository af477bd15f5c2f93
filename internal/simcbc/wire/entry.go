package wire

import "encoding/json"

// Phase is a workflow_phase entry of a snapshot.
type Phase struct {
	Type  string `json:"type"`
	Index int64  `json:"index"`
	Title string `json:"title"`
	Kind  string `json:"kind,omitempty"` // child: a nested workflow
}

// CBCAgent is a workflow_agent entry as the protocol publishes it (section 5.2).
type CBCAgent struct {
	Type          string `json:"type"`
	Index         int64  `json:"index"`
	AgentID       string `json:"agentId"` // v2:<sha256>
	State         string `json:"state"`   // start, done, error, cached
	StartedAt     int64  `json:"startedAt"`
	EndedAt       int64  `json:"endedAt,omitempty"`
	Label         string `json:"label,omitempty"`
	PhaseTitle    string `json:"phaseTitle,omitempty"`
	PhaseIndex    int64  `json:"phaseIndex,omitempty"`
	Tokens        *int64 `json:"tokens,omitempty"`
	ResultPreview string `json:"resultPreview,omitempty"`
	Error         string `json:"error,omitempty"`
}

// ClaudeAgent is a workflow_agent entry as Claude Code 2.1.220 was seen to send it. A queued agent has
// neither agentId, startedAt nor attempt.
type ClaudeAgent struct {
	Type              string `json:"type"`
	Index             int64  `json:"index"`
	Label             string `json:"label"`
	PhaseIndex        int64  `json:"phaseIndex,omitempty"`
	PhaseTitle        string `json:"phaseTitle,omitempty"`
	AgentID           string `json:"agentId,omitempty"` // a + 16 hex digits, random
	Model             string `json:"model"`
	State             string `json:"state"` // start, progress, done, error
	StartedAt         int64  `json:"startedAt,omitempty"`
	QueuedAt          int64  `json:"queuedAt,omitempty"`
	Attempt           int64  `json:"attempt,omitempty"`
	LastAttemptReason string `json:"lastAttemptReason,omitempty"`
	LastToolName      string `json:"lastToolName,omitempty"`
	LastToolSummary   string `json:"lastToolSummary,omitempty"`
	PromptPreview     string `json:"promptPreview"`
	LastProgressAt    int64  `json:"lastProgressAt"`
	Error             string `json:"error,omitempty"`
	Tokens            *int64 `json:"tokens,omitempty"`
	ToolCalls         *int64 `json:"toolCalls,omitempty"`
	DurationMS        *int64 `json:"durationMs,omitempty"`
	Cached            bool   `json:"cached,omitempty"`
	ResultPreview     string `json:"resultPreview,omitempty"`
}

// Entry encodes a Phase, CBCAgent or ClaudeAgent for TaskProgress.Progress.
func Entry(v any) json.RawMessage {
	b := Encode(v)
	return json.RawMessage(b[:len(b)-1])
}
