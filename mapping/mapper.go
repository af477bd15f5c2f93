// Package mapping turns the workflow events of an agent CLI's stream into finished spans.
//
// It is a pure state machine: events with times go in, settled span trees come out. It has no goroutine, reads no
// clock and does no I/O. A caller decodes lines into [Event] values, hands each to [Mapper.Observe], lets time pass
// with [Mapper.Advance] when [Mapper.Deadline] says so, and ends with [Mapper.Close]. Each returns the workflows that
// were settled by it, one [Tree] each.
//
// The protocol it follows is described in docs/protocol.md; sections cited here are those named there.
package mapping

import (
	"slices"
	"strings"
	"time"
)

// Bounds of a mapper, so that no stream can take all memory.
const (
	maxOpen       = 1 << 12 // workflows at once
	maxOpenAgents = 1 << 16 // agents of all workflows at once; the CLIs allow 1,000 in one
	maxID         = 1 << 10 // bytes of a task or session id
)

// Options say how spans are made. The zero value is usable: own traces, no grace period, no content, nothing
// redacted.
type Options struct {
	// Parent is the inbound span context, and ParentMode what it is for: "child" (the default) hangs each workflow
	// under it, "link" links each workflow's own trace to it, "ignore" does without. A Parent without a trace id or
	// span id counts as none.
	Parent     SpanContext
	ParentMode string

	// Grace is how long after its notification a workflow waits for snapshots that tell how its last agents ended
	// (protocol section 6). It never waits when all have ended.
	Grace time.Duration

	// Content adds what people and models wrote: see [IsContent].
	Content bool

	// Redact is applied to every text, whole, before it is cut. Nil changes nothing.
	Redact func(string) string

	// AgentNames chooses gen_ai.agent.name and the span names of agents: "label" (the default), "type" or "none".
	AgentNames string

	// ErrorText is "text" (the default), or "type" for no text of any error.
	ErrorText string

	// Settled is given each settled tree before anybody else, to add what only the whole tree tells. Nil adds nothing.
	Settled func(*Tree)

	// Origin is when a stream without any time is taken to have been received (replay: the file's mtime).
	Origin time.Time
}

// Stats counts what a mapper saw and made.
type Stats struct {
	Workflows, Phases, Agents int // spans of settled trees

	Late    int // snapshots that came after their workflow was settled, and were dropped
	Unknown int // events of tasks that are no workflow or were never started
	Refused int // workflows, phases and agents beyond the bounds of memory
}

// Mapper holds the open workflows of one stream. It is not safe for concurrent use. Strings of events are kept while
// their workflow is open: they must not be parts of large buffers.
type Mapper struct {
	options Options
	texts   texts
	stats   Stats

	session string // of the latest init
	latest  stamp  // the latest time known in the stream

	open    map[string]*workflow // by task id
	agents  int                  // of open ones
	started []*workflow          // the same, in the order they started
	waiting []*workflow          // those in their grace period, in the order of their notifications
	settled settled
}

// New returns a mapper for one stream.
func New(o Options) *Mapper {
	return &Mapper{options: o, texts: texts{redact: o.Redact}, open: make(map[string]*workflow)}
}

// Observe takes the next event of the stream. First the grace periods that ended before it are over. An event of no
// Kind only tells the time.
func (m *Mapper) Observe(ev Event) []Tree {
	at, guessed := m.received(&ev)
	when := ev.Received // with its monotonic reading, if it has one
	if when.IsZero() {
		when = at.time()
	}
	trees := m.Advance(when)

	switch ev.Kind {
	case Initialized:
		if ev.SessionID != "" {
			m.session = clip(ev.SessionID)
		}
		return trees
	case Started:
		m.begin(&ev, at, guessed)
		return trees
	}

	w := m.open[ev.TaskID]
	if w == nil {
		m.stray(&ev)
		return trees
	}
	if ev.Kind == Launched && ev.RunID != "" || w.runID == "" && strings.HasPrefix(ev.RunID, "wf_") {
		w.runID = m.texts.keepName(ev.RunID)
	}
	switch ev.Kind {
	case Progress:
		m.progress(w, &ev, at)
	case Updated:
		m.updated(w, &ev, at)
	case Notified:
		if w.notified != "" {
			return trees // sent once; should it come again, the first one counts
		}
		m.notify(w, &ev, at, when)
		m.waiting = append(m.waiting, w)
	}
	if m.settles(w) {
		trees = append(trees, m.settle(w, End{}, at))
	}
	return trees
}

// begin opens a workflow, unless it is open already.
func (m *Mapper) begin(ev *Event, at stamp, guessed bool) {
	if ev.TaskType != "local_workflow" || ev.TaskID == "" || m.open[ev.TaskID] != nil {
		return
	}
	if len(m.open) == maxOpen || len(ev.TaskID) > maxID {
		m.stats.Refused++
		return
	}
	w := m.start(ev, at)
	w.guessed = guessed
	m.open[w.id.task] = w
	m.started = append(m.started, w)
}

// stray counts an event of a task that is not open.
func (m *Mapper) stray(ev *Event) {
	switch {
	case ev.Kind < Launched || ev.Kind > Notified:
	case m.settled.run(ev.TaskID) == 0:
		m.stats.Unknown++
	case ev.Kind == Progress:
		m.stats.Late++
	}
}

// Advance says what time it is: workflows whose grace period is over by now are settled.
func (m *Mapper) Advance(now time.Time) []Tree {
	var trees []Tree
	for i := 0; i < len(m.waiting); {
		if w := m.waiting[i]; !now.Before(w.deadline) {
			trees = append(trees, m.settle(w, End{}, w.notifiedAt))
		} else {
			i++
		}
	}
	return trees
}

// Deadline returns when the next grace period ends, false if none is running.
func (m *Mapper) Deadline() (time.Time, bool) {
	if len(m.waiting) == 0 {
		return time.Time{}, false
	}
	next := m.waiting[0].deadline
	for _, w := range m.waiting[1:] {
		if w.deadline.Before(next) {
			next = w.deadline
		}
	}
	return next, true
}

// Close ends the stream and settles all that is open, at once: no snapshot can come any more.
func (m *Mapper) Close(end End) []Tree {
	at := m.endStamp(end)
	var trees []Tree
	for len(m.started) > 0 {
		trees = append(trees, m.settle(m.started[0], end, at))
	}
	return trees
}

// Snapshot returns the tree of an open workflow as it would be if the stream ended at end, by default at the
// latest time known. Spans that last as long as their workflow end then, if no time in the stream is later.
func (m *Mapper) Snapshot(taskID string, end time.Time) (Tree, bool) {
	w := m.open[taskID]
	if w == nil {
		return Tree{}, false
	}
	return m.tree(w, End{}, m.endStamp(End{At: end})), true
}

// Open lists the task ids of the open workflows in the order they started.
func (m *Mapper) Open() []string {
	var ids []string
	for _, w := range m.started {
		ids = append(ids, w.id.task)
	}
	return ids
}

// Stats returns the counts so far.
func (m *Mapper) Stats() Stats { return m.stats }

// settle closes the workflow and makes its tree.
func (m *Mapper) settle(w *workflow, end End, at stamp) Tree {
	t := m.tree(w, end, at)
	if m.options.Settled != nil {
		m.options.Settled(&t)
	}
	m.stats.Workflows++
	for i := range t.Spans {
		switch t.Spans[i].Kind {
		case PhaseSpan:
			m.stats.Phases++
		case AgentSpan:
			m.stats.Agents++
		}
	}
	same := func(o *workflow) bool { return o == w }
	m.started = slices.DeleteFunc(m.started, same)
	m.waiting = slices.DeleteFunc(m.waiting, same)
	delete(m.open, w.id.task)
	m.agents -= len(w.agents)
	m.settled.add(w.id.task, w.id.run)
	return t
}
