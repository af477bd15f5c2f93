package mapping

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// How a workflow ended: the values of cbc.workflow.status.
const (
	completed   = "completed"
	failed      = "failed"
	stopped     = "stopped"
	interrupted = "interrupted"
)

// Values of error.type.
const (
	typeFailed      = "workflow_failed"
	typeCancelled   = "cancelled"
	typeAllFailed   = "all_agents_failed"
	typeInterrupted = "interrupted"
	typeAgentFailed = "agent_failed"
	typeTimeout     = "timeout"
	typeOther       = "_OTHER"
)

// terminal returns the end a status of a task stands for, "" if it stands for none. A notification says stopped where
// the task was killed or cancelled (protocol section 5.4).
func terminal(status string) string {
	switch status {
	case completed, failed:
		return status
	case stopped, "killed", "cancelled", "canceled":
		return stopped
	}
	return ""
}

// outcome is how a workflow ended.
type outcome struct {
	status string // completed, failed, stopped or interrupted
	text   string // what its own status and its cancelled agents say of it, "" if completed
	at     stamp  // when, unless its agents say it was later
	exit   number // the exit code, where that ended it
}

// End is what is known of the end of the stream.
type End struct {
	At     time.Time // when it ended; zero (replay): the latest time known in the stream
	Known  bool      // the child is gone and left the following
	Code   int       // its exit code, if no signal killed it
	Signal string    // the name of the signal that killed it, as in SIGTERM
}

func (e End) text() string {
	switch {
	case !e.Known:
		return "stream ended"
	case e.Signal != "":
		return "signal " + e.Signal
	}
	return "exit code " + strconv.Itoa(e.Code)
}

func (e End) exit() number {
	if !e.Known || e.Signal != "" {
		return absent
	}
	return number(e.Code)
}

// failure is an error status with its error.type, which is never free text.
type failure struct {
	kind string // "" for none
	text string
}

func (f failure) status() Status {
	if f.kind == "" {
		return Status{}
	}
	return Status{Error: true, Description: cut(f.text, maxText)}
}

// workflowFailure is the status of a workflow with these agents.
func workflowFailure(o outcome, n counts) failure {
	switch {
	case o.status == failed:
		return failure{typeFailed, o.text}
	case o.status == stopped:
		return failure{typeCancelled, o.text}
	case o.status == interrupted:
		return failure{typeInterrupted, o.text}
	case n.of[agentFailed] > 0 && n.of[agentFailed] == n.total():
		return failure{typeAllFailed, fmt.Sprintf("%d of %d agents failed", n.total(), n.total())}
	}
	return failure{}
}

// phaseFailure is the status of a phase with these agents.
func phaseFailure(n counts) failure {
	switch {
	case n.of[agentFailed] > 0:
		return failure{typeAgentFailed, fmt.Sprintf("%d of %d agents failed", n.of[agentFailed], n.total())}
	case n.cancelledStarted > 0:
		return failure{typeCancelled, typeCancelled}
	}
	return failure{}
}

// errorType says what kind of error an agent's text tells of: an HTTP status, a time-out or something else.
func errorType(text string) string {
	if code := apiStatus(text); code != "" {
		return code
	}
	text = strings.ToLower(text)
	if strings.HasPrefix(strings.TrimSpace(text), "stalled") || strings.Contains(text, "timed out") || strings.Contains(text, "timeout") {
		return typeTimeout
	}
	return typeOther
}

// apiStatus returns the status in "API Error: 529 …", "" without one.
func apiStatus(text string) string {
	const mark = "API Error: "
	for {
		_, after, ok := strings.Cut(text, mark)
		if !ok {
			return ""
		}
		if len(after) >= 3 && after[0] >= '1' && after[0] <= '5' && isDigit(after[1]) && isDigit(after[2]) &&
			(len(after) == 3 || !isDigit(after[3])) {
			return after[:3]
		}
		text = after
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
