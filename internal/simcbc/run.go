package simcbc

import "time"

// batch is how long changes are gathered into one snapshot.
const batch = 16 * time.Millisecond

// run is a workflow that was started.
type run struct {
	s         *session
	scenario  scenario
	taskID    string
	toolUseID string
	id        string // wf_…
	started   time.Time
	scope     *scope // what it does by itself
	over      bool

	agents  []*agent
	queue   []*agent
	running int
	limit   int    // of running
	last    *agent // that moved
	pending bool   // a snapshot is due
}

func newRun(s *session, sc scenario, toolUseID string) *run {
	r := &run{
		s: s, scenario: sc, toolUseID: toolUseID, scope: &scope{},
		taskID: s.dialect.taskID(s), id: "wf_" + s.hex(8) + "-" + s.hex(3),
	}
	r.limit = sc.concurrency
	if s.opt.Concurrency > 0 {
		r.limit = s.opt.Concurrency
	}
	if r.limit == 0 {
		r.limit = 4
	}
	for i, spec := range sc.agents {
		spec.takes = time.Duration(float64(spec.takes) * (0.9 + 0.2*s.rng.Float64()))
		spec.tokens = int64(float64(spec.tokens) * (0.95 + 0.1*s.rng.Float64()))
		r.agents = append(r.agents, &agent{agentSpec: spec, index: i + 1, state: "waiting"})
	}
	return r
}

func (r *run) after(d time.Duration, do func()) { r.s.after(d, r.scope, do) }

// begin starts the script. The lines that announce it were written.
func (r *run) begin() {
	r.started = r.s.clock.Now()
	r.goOn()
}

// goOn queues what became ready, starts what there is room for, and ends the run with its last agent.
func (r *run) goOn() {
	ended := 0
	for _, a := range r.agents {
		if a.state == "waiting" && r.ready(a) {
			if a.fate == cached {
				r.reuse(a)
			} else {
				a.state, a.queuedAt = "queued", r.s.clock.Now()
				r.moved(a, a.queuedAt)
				r.queue = append(r.queue, a)
			}
		}
		if a.ended {
			ended++
		}
	}
	for r.running < r.limit && len(r.queue) > 0 {
		a := r.queue[0]
		r.queue = r.queue[1:]
		r.running++
		r.start(a)
	}
	switch {
	case r.scenario.throws != "" && ended >= len(r.agents)-1:
		r.after(5*time.Millisecond, r.fail)
	case ended == len(r.agents):
		r.after(5*time.Millisecond, r.complete)
	}
}

func (r *run) ready(a *agent) bool {
	if a.after == nil {
		for _, b := range r.agents {
			if b.phase < a.phase && !b.ended {
				return false
			}
		}
		return true
	}
	for _, i := range a.after {
		if !r.agents[i-1].ended {
			return false
		}
	}
	return true
}

// moved notes a change that the next snapshot will show.
func (r *run) moved(a *agent, at time.Time) {
	a.movedAt = at
	r.last = a
	if !r.pending {
		r.pending = true
		r.after(batch, r.flush)
	}
}

func (r *run) flush() {
	if r.pending {
		r.pending = false
		r.s.emit(r.s.dialect.progress(r)...)
	}
}

func (r *run) complete() {
	r.flush()
	r.close()
	r.s.emit(r.s.dialect.ended(r, "completed", "")...)
	r.s.followUp(r)
}

func (r *run) fail() {
	r.s.dialect.abandon(r)
	r.flush()
	r.close()
	r.s.emit(r.s.dialect.ended(r, "failed", r.scenario.throws)...)
	r.s.followUp(r)
}

// stop ends the run from outside. What its agents do then is up to the dialect.
func (r *run) stop() {
	r.flush()
	r.close()
	r.s.emit(r.s.dialect.ended(r, "killed", "")...)
}

func (r *run) close() { r.scope.off, r.over = true, true }

// usage adds up what its agents used so far.
func (r *run) usage() (tokens, tools, millis int64) {
	for _, a := range r.agents {
		tokens += a.used
		tools += a.toolCalls
	}
	return tokens, tools, r.s.clock.Now().Sub(r.started).Milliseconds()
}
