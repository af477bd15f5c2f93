package wire

import "encoding/json"

// TaskStarted declares a task (protocol section 5.1).
type TaskStarted struct {
	Type         string `json:"type"` // system
	Subtype      string `json:"subtype"`
	TaskID       string `json:"task_id"`
	ToolUseID    string `json:"tool_use_id"`
	Description  string `json:"description"`
	TaskType     string `json:"task_type"` // local_workflow
	WorkflowName string `json:"workflow_name,omitempty"`
	Prompt       string `json:"prompt,omitempty"` // Claude: the whole script
	UUID         string `json:"uuid"`
	SessionID    string `json:"session_id"`
	Stamp
}

// TaskProgress carries a snapshot of the workflow (protocol section 5.2). Progress holds encoded entries:
// Phase, CBCAgent or ClaudeAgent. None at all means "unchanged", which only Claude sends.
type TaskProgress struct {
	Type         string            `json:"type"` // system
	Subtype      string            `json:"subtype"`
	TaskID       string            `json:"task_id"`
	ToolUseID    string            `json:"tool_use_id"`
	Description  string            `json:"description"`
	Usage        Usage             `json:"usage"`
	LastToolName string            `json:"last_tool_name,omitempty"` // Claude: the label of the agent that moved last
	Summary      string            `json:"summary,omitempty"`        // Claude
	Progress     []json.RawMessage `json:"workflow_progress,omitempty"`
	UUID         string            `json:"uuid"`
	SessionID    string            `json:"session_id"`
	Stamp
}

// TaskUpdated changes the state of a task (protocol section 5.3).
type TaskUpdated struct {
	Type      string `json:"type"` // system
	Subtype   string `json:"subtype"`
	TaskID    string `json:"task_id"`
	Patch     Patch  `json:"patch"`
	UUID      string `json:"uuid"`
	SessionID string `json:"session_id"`
	Stamp
}

// Patch is what a TaskUpdated changes.
type Patch struct {
	Status  string `json:"status"` // completed, failed, killed
	EndTime int64  `json:"end_time,omitempty"`
	Error   string `json:"error,omitempty"` // failed: message and stack, many lines
}

// TaskNotification ends a task, once (protocol section 5.4).
type TaskNotification struct {
	Type       string `json:"type"` // system
	Subtype    string `json:"subtype"`
	TaskID     string `json:"task_id"`
	ToolUseID  string `json:"tool_use_id,omitempty"` // Claude
	Status     string `json:"status"`                // completed, failed, stopped
	OutputFile string `json:"output_file"`
	Summary    string `json:"summary"`
	Usage      *Usage `json:"usage,omitempty"` // nil when stopped
	UUID       string `json:"uuid"`
	SessionID  string `json:"session_id"`
	Stamp
}

// BackgroundTasks lists the tasks that run. Only Claude sends it.
type BackgroundTasks struct {
	Type      string           `json:"type"` // system
	Subtype   string           `json:"subtype"`
	Tasks     []BackgroundTask `json:"tasks"`
	UUID      string           `json:"uuid"`
	SessionID string           `json:"session_id"`
}

// BackgroundTask is one of them.
type BackgroundTask struct {
	TaskID      string `json:"task_id"`
	TaskType    string `json:"task_type"`
	Description string `json:"description"`
}
