package wire

import "encoding/json"

// ControlResponse answers a control_request.
type ControlResponse struct {
	Type     string        `json:"type"` // control_response
	Response ControlAnswer `json:"response"`
}

// ControlAnswer is the envelope inside a ControlResponse.
type ControlAnswer struct {
	Subtype   string `json:"subtype"` // success, error
	RequestID string `json:"request_id"`
	Error     string `json:"error,omitempty"`
	Response  any    `json:"response,omitempty"`
}

// Init opens a session, and again each further turn of it. Both dialects have more fields than these.
type Init struct {
	Type           string   `json:"type"` // system
	Subtype        string   `json:"subtype"`
	CWD            string   `json:"cwd"`
	SessionID      string   `json:"session_id"`
	Tools          []string `json:"tools"`
	MCPServers     []string `json:"mcp_servers"`
	Model          string   `json:"model"`
	PermissionMode string   `json:"permissionMode"`
	SlashCommands  []string `json:"slash_commands"`
	APIKeySource   string   `json:"apiKeySource"`
	Version        string   `json:"claude_code_version,omitempty"`
	OutputStyle    string   `json:"output_style"`
	UUID           string   `json:"uuid"`
}

// Message is an assistant or a user line.
type Message struct {
	Type          string         `json:"type"` // assistant, user
	Message       MessageBody    `json:"message"`
	ParentToolUse *string        `json:"parent_tool_use_id"`
	SessionID     string         `json:"session_id"`
	UUID          string         `json:"uuid"`
	Timestamp     string         `json:"timestamp,omitempty"`       // Claude
	ToolUseResult *ToolUseResult `json:"tool_use_result,omitempty"` // Claude
	Stamp
}

// MessageBody is the API message inside a Message. Content holds Text, ToolUse or ToolResult.
type MessageBody struct {
	ID      string        `json:"id,omitempty"`
	Type    string        `json:"type,omitempty"`
	Role    string        `json:"role"`
	Model   string        `json:"model,omitempty"`
	Content []any         `json:"content"`
	Usage   *MessageUsage `json:"usage,omitempty"`
}

// MessageUsage is the API's token count of a message or a result.
type MessageUsage struct {
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	CacheCreated int64 `json:"cache_creation_input_tokens"`
	CacheRead    int64 `json:"cache_read_input_tokens"`
}

// Text, ToolUse and ToolResult are blocks of a message's content.
type (
	Text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	ToolUse struct {
		Type  string            `json:"type"`
		ID    string            `json:"id"`
		Name  string            `json:"name"`
		Input map[string]string `json:"input"`
	}
	ToolResult struct {
		ToolUseID string `json:"tool_use_id"`
		Type      string `json:"type"`
		Content   string `json:"content"`
		IsError   bool   `json:"is_error"`
	}
)

// ToolUseResult is what Claude adds to the user line that carries the Workflow tool's result, and the
// only place of its run id.
type ToolUseResult struct {
	Status        string `json:"status"`
	TaskID        string `json:"taskId"`
	TaskType      string `json:"taskType"`
	WorkflowName  string `json:"workflowName"`
	RunID         string `json:"runId"` // wf_…
	Summary       string `json:"summary"`
	TranscriptDir string `json:"transcriptDir"`
	ScriptPath    string `json:"scriptPath"`
}

// ClaudeResult ends a turn. Its type does not come first.
type ClaudeResult struct {
	IsError    bool         `json:"is_error"`
	APIMillis  int64        `json:"duration_api_ms"`
	Turns      int64        `json:"num_turns"`
	StopReason string       `json:"stop_reason"`
	SessionID  string       `json:"session_id"`
	CostUSD    float64      `json:"total_cost_usd"`
	Usage      MessageUsage `json:"usage"`
	Denials    []string     `json:"permission_denials"`
	Terminal   string       `json:"terminal_reason"`
	Subtype    string       `json:"subtype"`
	APIError   *int         `json:"api_error_status"`
	Result     string       `json:"result"`
	Type       string       `json:"type"` // result
	DurationMS int64        `json:"duration_ms"`
	UUID       string       `json:"uuid"`
}

// CBCResult ends a turn.
type CBCResult struct {
	Type       string       `json:"type"` // result
	Subtype    string       `json:"subtype"`
	IsError    bool         `json:"is_error"`
	Result     string       `json:"result"`
	UUID       string       `json:"uuid"`
	SessionID  string       `json:"session_id"`
	DurationMS int64        `json:"duration_ms"`
	APIMillis  int64        `json:"duration_api_ms"`
	Turns      int64        `json:"num_turns"`
	CostUSD    float64      `json:"total_cost_usd"`
	Usage      MessageUsage `json:"usage"`
	Denials    []string     `json:"permission_denials"`
	Stamp
}

// Status is a system/status line, which cbc sends at the start of a turn.
type Status struct {
	Type      string  `json:"type"` // system
	Subtype   string  `json:"subtype"`
	Status    *string `json:"status"`
	UUID      string  `json:"uuid"`
	SessionID string  `json:"session_id"`
	Stamp
}

// Input is a line on the CLI's stdin: a control_request or a user message (protocol section 4).
type Input struct {
	Type      string `json:"type"`
	RequestID string `json:"request_id"`
	Request   struct {
		Subtype string `json:"subtype"` // initialize, interrupt, stop_task
		TaskID  string `json:"task_id"`
		Reason  string `json:"reason"`
	} `json:"request"`
	Message struct {
		Content json.RawMessage `json:"content"` // a string or a list of blocks
	} `json:"message"`
}

// Prompt is the text of a user message, its text blocks joined.
func (in Input) Prompt() string {
	var s string
	if json.Unmarshal(in.Message.Content, &s) == nil {
		return s
	}
	var blocks []Text
	if json.Unmarshal(in.Message.Content, &blocks) != nil {
		return ""
	}
	for _, b := range blocks {
		if b.Type == "text" {
			s += b.Text
		}
	}
	return s
}
