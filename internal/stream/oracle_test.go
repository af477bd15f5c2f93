package stream

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"

	"cbc-otel/mapping"
)

// oracle decodes a line through encoding/json, slowly and in another way than the Decoder.
func oracle(line []byte) (mapping.Event, Verdict) {
	if len(strings.Trim(string(line), " \t\r\n")) == 0 {
		return mapping.Event{}, Ignored
	}
	if !json.Valid(line) {
		return mapping.Event{}, Unparsable
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		panic(err)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return mapping.Event{}, Unparsable
	}
	e := mapping.Event{
		SessionID: oText(m, "session_id"), TaskID: oText(m, "task_id"), ToolUseID: oText(m, "tool_use_id"), RunID: oText(m, "run_id"),
	}
	if t, err := time.Parse(time.RFC3339Nano, oText(m, "__timestamp")); err == nil && t.UTC().Year() > 2000 && t.UTC().Year() <= 2100 {
		e.Timestamp = t.UTC()
	}
	switch oText(m, "type") + "/" + oText(m, "subtype") {
	case "system/init":
		return mapping.Event{Kind: mapping.Initialized, SessionID: e.SessionID, Timestamp: e.Timestamp}, Decoded
	case "system/task_started":
		e.Kind = mapping.Started
		e.TaskType, e.WorkflowName, e.Description, e.Script = oText(m, "task_type"), oText(m, "workflow_name"), oText(m, "description"), oText(m, "prompt")
	case "system/task_progress":
		e.Kind = mapping.Progress
		e.Summary, e.Usage = oText(m, "summary"), oUsage(m)
		list, _ := m["workflow_progress"].([]any)
		for _, entry := range list {
			oEntry(&e, entry)
		}
	case "system/task_updated":
		e.Kind = mapping.Updated
		patch, _ := m["patch"].(map[string]any)
		e.Status, e.Error, e.EndTime = oText(patch, "status"), oText(patch, "error"), oTime(patch, "end_time")
	case "system/task_notification":
		e.Kind = mapping.Notified
		e.Status, e.Summary, e.Usage = oText(m, "status"), oText(m, "summary"), oUsage(m)
	}
	if result, ok := m["tool_use_result"].(map[string]any); ok && oText(m, "type") == "user" && oText(result, "runId") != "" {
		e = mapping.Event{Kind: mapping.Launched, SessionID: e.SessionID, Timestamp: e.Timestamp, TaskID: oText(result, "taskId"), RunID: oText(result, "runId")}
	}
	if e.Kind == 0 || e.TaskID == "" {
		return mapping.Event{Timestamp: e.Timestamp}, Ignored
	}
	return e, Decoded
}

func oEntry(e *mapping.Event, entry any) {
	m, _ := entry.(map[string]any)
	index := oIndex(m, "index")
	if !index.Valid {
		return
	}
	switch oText(m, "type") {
	case "workflow_phase":
		e.Phases = append(e.Phases, mapping.Phase{Index: index.Value, Title: oText(m, "title"), Kind: oText(m, "kind")})
	case "workflow_agent":
		e.Agents = append(e.Agents, mapping.Agent{
			Index: index.Value, ID: oText(m, "agentId"), Label: oText(m, "label"), State: oText(m, "state"), Cached: m["cached"] == true,
			PhaseIndex: oIndex(m, "phaseIndex"), PhaseTitle: oText(m, "phaseTitle"), Model: oText(m, "model"), FallbackModel: oText(m, "fallbackModel"),
			Type: oText(m, "agentType"), PromptPreview: oText(m, "promptPreview"), ResultPreview: oText(m, "resultPreview"), Error: oText(m, "error"),
			EndedWithRun: oText(m, "endedWithRun"), LastTool: oText(m, "lastToolName"), LastToolNote: oText(m, "lastToolSummary"), RetryReason: oText(m, "lastAttemptReason"),
			QueuedAt: oTime(m, "queuedAt"), StartedAt: oTime(m, "startedAt"), EndedAt: oTime(m, "endedAt"), LastProgressAt: oTime(m, "lastProgressAt"),
			Attempt: oNumber(m, "attempt"), Tokens: oNumber(m, "tokens"), ToolCalls: oNumber(m, "toolCalls"), DurationMS: oNumber(m, "durationMs"),
		})
	}
}

func oText(m map[string]any, key string) string {
	s, _ := m[key].(string)
	if len(s) > maxText {
		s = s[:maxText]
		for !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
	}
	return s
}

func oUsage(m map[string]any) mapping.Usage {
	u, _ := m["usage"].(map[string]any)
	return mapping.Usage{TotalTokens: oNumber(u, "total_tokens"), ToolUses: oNumber(u, "tool_uses"), DurationMS: oNumber(u, "duration_ms")}
}

// oNumber cuts off the fraction of a number with big floats, where the Decoder uses int64 and float64.
func oNumber(m map[string]any, key string) mapping.Number {
	n, ok := m[key].(json.Number)
	if !ok {
		return mapping.Number{}
	}
	if v, err := n.Int64(); err == nil {
		return mapping.Number{Value: v, Valid: true}
	}
	f, err := n.Float64()
	if err != nil {
		return mapping.Number{}
	}
	v, _ := big.NewFloat(f).Int(nil)
	if !v.IsInt64() {
		return mapping.Number{}
	}
	return mapping.Number{Value: v.Int64(), Valid: true}
}

func oIndex(m map[string]any, key string) mapping.Number {
	n, ok := m[key].(json.Number)
	if !ok {
		return mapping.Number{}
	}
	if f, err := n.Float64(); err != nil || f != math.Floor(f) {
		return mapping.Number{}
	}
	return oNumber(m, key)
}

func oTime(m map[string]any, key string) time.Time {
	n := oNumber(m, key)
	if t := time.UnixMilli(n.Value).UTC(); n.Valid && t.Year() > 2000 && t.Year() <= 2100 {
		return t
	}
	return time.Time{}
}
