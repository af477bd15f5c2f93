// Package wire holds the lines that an agent CLI writes, as Go structs in the order of their fields, for
// the simulated CLI and for the stream generator. It only writes: what reads a stream has its own
// decoder, so that a mistake here cannot hide the same mistake there.
//
// Two dialects are kept: cbc as published in the workflow stdio protocol, and Claude Code 2.1.220 as it
// was recorded. Where they differ the struct's name starts with CBC or Claude.
package wire

import (
	"bytes"
	"encoding/json"
	"time"
)

// Encode gives v as one line: JSON without HTML escapes, as JavaScript's JSON.stringify writes it, and a
// newline. A value of this package always encodes; Encode panics on others that do not.
func Encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("wire: " + err.Error())
	}
	return b.Bytes()
}

// Millis is t the way the CLIs write times: milliseconds since the epoch, 0 for no time.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Stamp is what cbc adds to the end of most of its lines. Claude Code leaves both out.
type Stamp struct {
	Timestamp string `json:"__timestamp,omitempty"` // 2026-12-01T21:33:19.784Z
	RequestID string `json:"_requestId,omitempty"`  // 32 hex digits
}

// StampLayout is the time format of Stamp.Timestamp, always in UTC.
const StampLayout = "2006-01-02T15:04:05.000Z"

// Usage is the usage object of task_progress and task_notification.
type Usage struct {
	TotalTokens int64 `json:"total_tokens"`
	ToolUses    int64 `json:"tool_uses"`
	DurationMS  int64 `json:"duration_ms"`
}
