package golden

import (
	"bytes"
	"encoding/json"
	"time"
)

// expected is what the lines of a stream say about one run of a workflow, found with a few lines of encoding/json
// and without any code of the program.
type expected struct {
	taskID  string
	agents  map[int64]place // by index
	running map[int64]bool  // agents that have not ended, as far as was said

	notified time.Time // __timestamp of the notification
	ended    bool      // notified
}

// place is the phase of an agent. The zero value is outside any.
type place struct {
	phase   int64
	inPhase bool
}

func (e *expected) spans() int {
	phases := make(map[int64]bool)
	for _, p := range e.agents {
		if p.inPhase {
			phases[p.phase] = true
		}
	}
	return 1 + len(phases) + len(e.agents)
}

// closed reports whether snapshots at that time come too late to count.
func (e *expected) closed(now time.Time) bool {
	return e.ended && (len(e.running) == 0 || now.Sub(e.notified) >= 5*time.Second)
}

// count returns the runs in the order in which they started.
func count(stream []byte) []*expected {
	var all []*expected
	newest := make(map[string]*expected)
	for line := range bytes.SplitSeq(stream, []byte("\n")) {
		var m struct {
			Type      string          `json:"type"`
			Subtype   string          `json:"subtype"`
			TaskID    string          `json:"task_id"`
			TaskType  string          `json:"task_type"`
			Timestamp time.Time       `json:"__timestamp"`
			Progress  json.RawMessage `json:"workflow_progress"`
		}
		if json.Unmarshal(line, &m) != nil || m.Type != "system" || m.TaskID == "" {
			continue
		}
		e := newest[m.TaskID]
		switch m.Subtype {
		case "task_started":
			if m.TaskType == "local_workflow" && (e == nil || e.closed(m.Timestamp)) {
				e = &expected{taskID: m.TaskID, agents: make(map[int64]place), running: make(map[int64]bool)}
				newest[m.TaskID] = e
				all = append(all, e)
			}
		case "task_progress":
			if e != nil && !e.closed(m.Timestamp) {
				e.snapshot(m.Progress)
			}
		case "task_notification":
			if e != nil && !e.ended {
				e.ended, e.notified = true, m.Timestamp
			}
		}
	}
	return all
}

func (e *expected) snapshot(progress json.RawMessage) {
	var entries []json.RawMessage
	if json.Unmarshal(progress, &entries) != nil {
		return
	}
	for _, entry := range entries {
		var a struct {
			Type  string          `json:"type"`
			Index *int64          `json:"index"`
			State string          `json:"state"`
			Phase json.RawMessage `json:"phaseIndex"`
		}
		if json.Unmarshal(entry, &a) != nil || a.Type != "workflow_agent" || a.Index == nil {
			continue
		}
		var p place
		p.inPhase = json.Unmarshal(a.Phase, &p.phase) == nil
		e.agents[*a.Index] = p
		if a.State == "done" || a.State == "error" || a.State == "cached" {
			delete(e.running, *a.Index)
		} else {
			e.running[*a.Index] = true
		}
	}
}
