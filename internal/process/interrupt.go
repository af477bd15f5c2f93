package process

import (
	"crypto/rand"
	"encoding/json"
	"time"
)

// Interrupt makes the first INT or TERM ask the command to wind down, by the
// protocol's interrupt request on its standard input (protocol section 4.1),
// before the signal is passed on. For that a pipe is put before its standard
// input: what the command has not read when it exits is lost. The command gets
// a process group of its own in any case, or a terminal's Ctrl-C would reach
// it first.
//
// It has no effect on a command line without --input-format stream-json.
type Interrupt struct {
	// Session is the current session id, empty if none is known yet. It is
	// called when the request is made.
	Session func() string

	// Grace is how long the command may take before it gets the signal. It
	// gets it at once when another INT or TERM comes, and when its input has
	// ended, so that it cannot be asked.
	Grace time.Duration
}

// interruptRequest is the line that asks for a wind-down.
func interruptRequest(session, reason string) []byte {
	type request struct {
		Subtype   string `json:"subtype"`
		SessionID string `json:"session_id,omitempty"`
		Reason    string `json:"reason"`
	}
	line, err := json.Marshal(struct {
		Type      string  `json:"type"`
		RequestID string  `json:"request_id"`
		Request   request `json:"request"`
	}{"control_request", "cbc-otel-" + rand.Text(), request{"interrupt", session, reason}})
	if err != nil {
		panic(err) // three strings
	}
	return append(line, '\n')
}
