package mapping

import (
	"strings"
	"time"
)

// Bounds of one workflow. The protocol's CLIs stop at 1,000 agents; what is beyond ours is counted and left out, so
// that no stream can take all memory.
const (
	maxAgents       = 1 << 14
	maxPhases       = 1 << 11
	maxStatusEvents = 128
)

// workflow is one open run of a local_workflow task.
type workflow struct {
	id   identity
	name string

	sessionID, toolUseID, runID  string
	description, script, summary string

	startSeen stamp // task_started was received
	guessed   bool  // … at a time from outside the stream, as there was none in it

	tokens, toolUses, duration number // the newest usage
	endDuration                number // the notification's duration_ms
	counted                    bool   // the notification had usage: later snapshots do not change it

	patch    string // the end a terminal task_updated told of, "" before
	patchEnd stamp
	err      string
	statuses []statusEvent

	notified   string // the end the task_notification told of, "" before
	notifiedAt stamp
	deadline   time.Time // end of the grace period that began with it

	agents  []agent
	place   map[int64]int // in agents, by index
	running int           // agents that have not ended
	phases  map[int64]*phase
}

// statusEvent is a status a task_updated line told of.
type statusEvent struct {
	status string
	at     stamp
}

// start opens the workflow of a task_started line.
func (m *Mapper) start(ev *Event, at stamp) *workflow {
	session := ev.SessionID
	if session == "" {
		session = m.session
	}
	w := &workflow{
		id:        identity{session: clip(session), task: clip(ev.TaskID), run: m.settled.run(ev.TaskID) + 1},
		name:      m.texts.keepName(ev.WorkflowName),
		toolUseID: m.texts.keepName(ev.ToolUseID),
		runID:     m.texts.keepName(ev.RunID),
		tokens:    absent, toolUses: absent, duration: absent, endDuration: absent,
		place:  make(map[int64]int),
		phases: make(map[int64]*phase),
	}
	w.sessionID = w.id.session
	if m.options.Content {
		w.description = m.texts.keep(ev.Description, keepContent)
		w.script = m.texts.keep(ev.Script, keepContent)
	}
	// A stamp of the line itself is better than the time it took to get here.
	w.startSeen = firstKnown(stampOf(ev.Timestamp), at)
	return w
}

// clip returns a copy of an identifier, not too long. It may be kept for longer than its line.
func clip(s string) string { return strings.Clone(s[:min(len(s), maxID)]) }

// updated takes over a task_updated line.
func (m *Mapper) updated(w *workflow, ev *Event, at stamp) {
	if ev.Status == "" {
		return
	}
	when := stampOf(ev.EndTime)
	if len(w.statuses) < maxStatusEvents {
		w.statuses = append(w.statuses, statusEvent{m.texts.keepName(ev.Status), firstKnown(when, stampOf(ev.Timestamp), at)})
	}
	end := terminal(ev.Status)
	if end == "" {
		return
	}
	w.patch = end
	w.patchEnd = firstKnown(when, w.patchEnd)
	if ev.Error != "" {
		w.err = m.texts.keep(ev.Error, keepError)
		if m.options.Content {
			w.err = m.texts.keep(ev.Error, keepContent)
		}
	}
}

// notify takes over the task_notification line: the workflow is terminal now.
func (m *Mapper) notify(w *workflow, ev *Event, at stamp, when time.Time) {
	w.notified = terminal(ev.Status)
	if w.notified == "" {
		w.notified = w.patch
	}
	if w.notified == "" {
		w.notified = stopped // it ended, and nothing says well
	}
	w.notifiedAt = at
	w.deadline = when.Add(m.options.Grace)
	w.usage(ev.Usage)
	w.counted = ev.Usage != Usage{}
	w.endDuration = numberOf(ev.Usage.DurationMS)
	if m.options.Content && ev.Summary != "" {
		w.summary = m.texts.keep(ev.Summary, keepContent)
	}
}

// settles says whether nothing is to be waited for any more.
func (m *Mapper) settles(w *workflow) bool {
	if mutantSettleFirstDone && len(w.agents) > 0 && w.running < len(w.agents) {
		return true
	}
	if w.notified == "" {
		return false
	}
	return w.running == 0 || m.options.Grace <= 0 || mutantGraceIgnored
}

// outcome is how the workflow ended, or would if the stream ended now.
func (w *workflow) outcome(end End, at stamp) outcome {
	o := outcome{status: firstText(w.notified, w.patch, interrupted), at: firstKnown(w.patchEnd, w.notifiedAt, at), exit: absent}
	switch o.status {
	case failed:
		o.text = failed
	case stopped:
		o.text = stopped
	case interrupted:
		o.text, o.exit = end.text(), end.exit()
	}
	return o
}

func firstText(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// interval is when the workflow ran.
func (w *workflow) interval(o outcome) interval {
	i := interval{start: w.patchEnd.plus(w.endDuration, -1), end: o.at}
	if !w.guessed {
		i.start = earliest(i.start, w.startSeen)
	}
	for k := range w.agents {
		a := &w.agents[k]
		i.start = earliest(i.start, a.started, a.queued)
		i.end = max(i.end, a.ended)
	}
	i.start = firstKnown(i.start, w.startSeen, i.end, never)
	i.end = max(i.end, i.start)
	return i
}
