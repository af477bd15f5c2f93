// Package native takes what the CLI's own telemetry tells and puts it where it belongs in our trees.
//
// A [Receiver] stands where the CLI sends to; a [Plan] is the environment that makes it send there, and says where the
// user wanted it to go, so that payloads are passed on unchanged. A [Store] keeps spans until the workflow they belong
// to is settled and joins them to its tree: [Join] is a function of both and of nothing else.
package native

import (
	"time"

	"cbc-otel/mapping"
)

// Signal is a kind of telemetry: the last part of the path it is sent to.
type Signal string

// The signals of OTLP.
const (
	Traces  Signal = "traces"
	Logs    Signal = "logs"
	Metrics Signal = "metrics" // answered, passed on and not looked at
)

// Span is a span of the CLI. What it embeds is clean, holds only attributes that may leave and has the kind it is to
// have among ours.
type Span struct {
	mapping.Span

	AgentID   string // of the agent that made it; "" for the main loop
	RunID     string // of the workflow
	ToolUseID string
	RequestID string
	Request   bool // a request to a model
	Tool      bool // a call of a tool
	Failed    bool // a request without an answer
	Usage     Usage
}

// Usage is tokens and money.
type Usage struct {
	Input      int64 // with what came from and went to the cache
	Output     int64
	CacheRead  int64
	CacheWrite int64
	Known      bool // there were any counts
	Cost       float64
	HasCost    bool
}

// add adds another one.
func (u *Usage) add(o Usage) {
	u.Input += o.Input
	u.Output += o.Output
	u.CacheRead += o.CacheRead
	u.CacheWrite += o.CacheWrite
	u.Known = u.Known || o.Known
	u.Cost += o.Cost
	u.HasCost = u.HasCost || o.HasCost
}

// Cost is what the CLI says a request cost.
type Cost struct {
	RequestID string
	RunID     string
	USD       float64
}

// Times outside of these years are no times.
var (
	earliest = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)
