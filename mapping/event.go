package mapping

import "time"

// EventKind says which line of the protocol an [Event] was decoded from.
type EventKind int

const (
	// Initialized is a system/init line: a session (or a further turn of it) begins.
	Initialized EventKind = iota + 1
	// Started is a system/task_started line (protocol section 5.1).
	Started
	// Launched is the user line with the Workflow tool's result, the only one with the wf_ run id.
	Launched
	// Progress is a system/task_progress line (protocol section 5.2).
	Progress
	// Updated is a system/task_updated line (protocol section 5.3).
	Updated
	// Notified is a system/task_notification line (protocol section 5.4).
	Notified
)

// Event is what one line of the stream says, decoded. Only the fields of its Kind are read; the zero
// value of a field means the line did not have it, or had something there that cannot be used.
type Event struct {
	Kind EventKind

	// Received is when the bytes of the line were read. Zero (replay) stands for Timestamp, or without
	// one for the latest time known in the stream so far.
	Received time.Time
	// Since is set if the event stands for earlier ones of its task as well, which were skipped: when the
	// first of them was received. An agent it shows for the first time was there by then; how it has ended, if it
	// has, is only known to be so at Received.
	Since time.Time
	// Timestamp is the line's own __timestamp, which only cbc sends.
	Timestamp time.Time

	SessionID string
	TaskID    string
	ToolUseID string

	TaskType     string // Started: only "local_workflow" makes spans
	WorkflowName string // Started
	Description  string // Started
	Script       string // Started: the workflow's source (content)

	RunID string // Launched: wf_…; other lines may have one of another kind

	Summary string  // Progress, Notified (content)
	Usage   Usage   // Progress, Notified
	Phases  []Phase // Progress: phases of the snapshot; a phase that is not listed is unchanged
	Agents  []Agent // Progress: agents of the snapshot; an agent that is not listed is unchanged

	Status  string    // Updated (patch.status), Notified
	EndTime time.Time // Updated: patch.end_time
	Error   string    // Updated: patch.error, may have many lines
}

// Number is a whole number that may be absent. Absent is not zero.
type Number struct {
	Value int64
	Valid bool
}

// Usage is the usage object of a line.
type Usage struct {
	TotalTokens Number
	ToolUses    Number
	DurationMS  Number
}

// Phase is a workflow_phase entry of a snapshot.
type Phase struct {
	Index int64
	Title string
	Kind  string // "child" for a nested workflow, else ""
}

// Agent is a workflow_agent entry of a snapshot. It replaces, whole, what was known under its Index.
type Agent struct {
	Index         int64
	ID            string // agentId: changes with a retry, may be shared; never a key
	Label         string
	State         string // as sent: start, progress, done, error, cached, or one we do not know
	Cached        bool   // cached: true, the way Claude Code says it
	PhaseIndex    Number // absent: outside any phase
	PhaseTitle    string
	Model         string
	FallbackModel string
	Type          string // agentType
	PromptPreview string // content
	ResultPreview string // content
	Error         string // first line is metadata, the rest content
	EndedWithRun  string
	LastTool      string // lastToolName
	LastToolNote  string // lastToolSummary (content)
	RetryReason   string // lastAttemptReason

	QueuedAt       time.Time
	StartedAt      time.Time
	EndedAt        time.Time
	LastProgressAt time.Time

	Attempt    Number
	Tokens     Number
	ToolCalls  Number
	DurationMS Number
}
