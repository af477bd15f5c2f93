package simcbc

import "time"

// agent is a subagent of a run as it stands.
type agent struct {
	agentSpec
	index int
	id    string
	state string // waiting, queued, start, progress, done, error, cached
	ended bool   // for good: a throttled agent is done once before that

	attempt     int64
	retryLabel  string // what Claude adds to the label from the second attempt on
	retryReason string
	queuedAt    time.Time
	startedAt   time.Time // of the first attempt
	attemptAt   time.Time // of this attempt
	movedAt     time.Time
	endedAt     time.Time
	active      time.Duration // in attempts that ended

	used      int64 // tokens
	toolCalls int64
	lastTool  string
	result    string
	err       string
}

// listed says whether it appears in snapshots, inFlight whether it may still change by itself.
func (a *agent) listed() bool   { return a.state != "waiting" }
func (a *agent) inFlight() bool { return a.state == "start" || a.state == "progress" }

func (r *run) start(a *agent) {
	now := r.s.clock.Now()
	a.startedAt = now
	r.attempt(a, now)
	switch a.fate {
	case stalls:
		r.after(a.takes/2, func() { r.stalled(a) })
	default:
		r.work(a, a.takes, r.ending(a))
	}
}

// attempt begins an attempt, the first or a further one.
func (r *run) attempt(a *agent, now time.Time) {
	a.attempt++
	a.state, a.attemptAt, a.endedAt = "start", now, time.Time{}
	a.id = r.s.dialect.agentID(r.s, a)
	r.moved(a, now)
}

// work lets an attempt use its tools over d and then calls end.
func (r *run) work(a *agent, d time.Duration, end func()) {
	parts := time.Duration(len(a.tools) + 1)
	for i := range a.tools {
		r.after(d/parts*time.Duration(i+1), func() { r.toolCall(a, i) })
	}
	r.after(d, end)
}

// toolCall tells of every other tool call by a snapshot, of the rest only by the usage.
func (r *run) toolCall(a *agent, i int) {
	now := r.s.clock.Now()
	a.toolCalls++
	a.lastTool = a.tools[i]
	a.used = a.tokens * int64(i+1) / int64(len(a.tools)+1)
	a.state = "progress"
	if i%2 == 0 {
		r.moved(a, now)
	} else {
		a.movedAt = now
		r.last = a
		r.s.emit(r.s.dialect.unchanged(r)...)
	}
}

func (r *run) ending(a *agent) func() {
	switch a.fate {
	case fails:
		return func() { r.end(a, "error") }
	case throttled:
		return func() { r.throttle(a) }
	default:
		return func() { r.end(a, "done") }
	}
}

// stalled gives up the first attempt and begins the second.
func (r *run) stalled(a *agent) {
	now := r.s.clock.Now()
	a.active += now.Sub(a.attemptAt)
	a.retryLabel, a.retryReason = " (retry 1)", "stalled"
	r.attempt(a, now)
	r.work(a, a.takes*3/5, func() { r.end(a, "done") })
}

// throttle says done, and takes it back after a pause.
func (r *run) throttle(a *agent) {
	r.outcome(a, "done")
	r.after(a.takes*3/2, func() {
		a.retryLabel, a.retryReason = " (throttle-retry)", "throttled"
		a.result = ""
		r.attempt(a, r.s.clock.Now())
		r.after(a.takes, func() { r.end(a, "done") })
	})
}

// outcome sets how an attempt ended.
func (r *run) outcome(a *agent, state string) {
	now := r.s.clock.Now()
	a.state, a.endedAt = state, now
	a.active += now.Sub(a.attemptAt)
	if state == "error" {
		a.err = a.text
	} else {
		a.result, a.used = a.text, a.tokens
	}
	r.moved(a, now)
}

// end ends an agent for good, which lets others go on.
func (r *run) end(a *agent, state string) {
	r.outcome(a, state)
	a.ended = true
	r.running--
	r.goOn()
}

// reuse ends a cached agent before it starts.
func (r *run) reuse(a *agent) {
	now := r.s.clock.Now()
	a.id = r.s.dialect.agentID(r.s, a)
	a.state, a.ended = "cached", true
	a.startedAt, a.endedAt = now, now
	a.result = a.text
	r.moved(a, now)
}

// abort ends an agent of an interrupted run the way cbc does.
func (r *run) abort(a *agent, reason string) {
	now := r.s.clock.Now()
	a.state, a.endedAt, a.err = "error", now, "subagent aborted: "+reason
	r.last, a.movedAt = a, now
}
