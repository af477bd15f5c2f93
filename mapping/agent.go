package mapping

import (
	"slices"
	"strings"
)

// maxRetries bounds the retry events of a span. (The SDK keeps 128 events of a span by default.)
const maxRetries = 128

// wire is the state of an agent as sent (protocol section 5.2), but for what we need not tell apart.
type wire uint8

const (
	wireOpen  wire = iota // start, or a state we do not know: not ended
	wireBusy              // progress: not ended, and certainly started
	wireDone              // done
	wireError             // error
	wireCache             // cached, or done with cached: true
)

func wireOf(state string, cached bool) wire {
	switch state {
	case "done":
		if cached {
			return wireCache
		}
		return wireDone
	case "cached":
		return wireCache
	case "error":
		return wireError
	case "progress":
		return wireBusy
	}
	return wireOpen
}

func (s wire) ended() bool { return s >= wireDone }

// agent is what the newest snapshot says of one agent, and what earlier ones are still needed for. There may be
// thousands in a workflow: texts are as they came, cleaned when a span is made of them.
type agent struct {
	index int64
	phase int64 // if inPhase

	id, label, model, fallback, kind string
	err, endedWith, lastTool         string

	queued, started, ended, progress stamp
	attempt, tokens, tools, active   number

	firstSeen stamp // the first snapshot with it was received
	endSeen   stamp // the first snapshot was received that showed it ended and was followed by no other

	retries []retry
	ids     []string // that it had before id
	content *content // nil without Options.Content

	state       wire
	inPhase     bool
	promptLabel bool // the label is the head of the prompt
}

type content struct{ prompt, result, lastToolNote string }

// retry is an attempt after the first.
type retry struct {
	attempt number
	reason  string
	at      stamp
}

// replace takes over what a snapshot that was received at the given time says; the first that may have shown the agent
// was received at first. Nothing of the one before is merged into it.
func (a *agent) replace(e *Agent, first, at stamp, t *texts, withContent bool) {
	a.state = wireOf(e.State, e.Cached)
	a.inPhase, a.phase = e.PhaseIndex.Valid, e.PhaseIndex.Value

	a.attempt = numberOf(e.Attempt)
	a.tokens = numberOf(e.Tokens)
	a.tools = numberOf(e.ToolCalls)
	a.active = numberOf(e.DurationMS)

	a.queued = stampOf(e.QueuedAt)
	a.started = stampOf(e.StartedAt)
	a.ended = stampOf(e.EndedAt)
	a.progress = stampOf(e.LastProgressAt)

	label := ownLabel(e.Label, a.attempt)
	// Once known to be the prompt's, a label stays so in snapshots that leave the prompt out.
	a.promptLabel = isPromptLabel(label, e.PromptPreview) || a.promptLabel && t.keepName(label) == a.label
	replace(&a.label, t.keepName(label))
	a.renamed(t.keepName(e.ID))
	replace(&a.model, t.keepName(e.Model))
	replace(&a.fallback, t.keepName(e.FallbackModel))
	replace(&a.kind, t.keepName(e.Type))
	replace(&a.endedWith, t.keepName(e.EndedWithRun))
	replace(&a.lastTool, t.keepName(e.LastTool))
	if withContent {
		if a.content == nil {
			a.content = new(content)
		}
		replace(&a.err, t.keep(e.Error, keepContent))
		replace(&a.content.prompt, t.keep(e.PromptPreview, keepContent))
		replace(&a.content.result, t.keep(e.ResultPreview, keepContent))
		replace(&a.content.lastToolNote, t.keep(e.LastToolNote, keepContent))
	} else {
		replace(&a.err, t.keep(e.Error, keepError))
	}

	if a.firstSeen == 0 {
		a.firstSeen = first
	}
	if !a.state.ended() {
		a.endSeen = 0
	} else if a.endSeen == 0 {
		a.endSeen = at
	}
	a.retried(e, at, t)
}

// renamed takes over the agent's id: each attempt may have another.
func (a *agent) renamed(id string) {
	if a.id != "" && id != a.id && len(a.ids) < maxRetries && !slices.Contains(a.ids, a.id) {
		a.ids = append(a.ids, a.id)
	}
	replace(&a.id, id)
}

// replace sets *old to s, but keeps the memory of an equal text.
func replace(old *string, s string) {
	if s != *old {
		*old = s
	}
}

// retried notes the attempt if it is not the first and has not been seen. Snapshots, and attempts with them, may be
// skipped.
func (a *agent) retried(e *Agent, at stamp, t *texts) {
	if a.attempt < 2 || len(a.retries) == maxRetries {
		return
	}
	for _, r := range a.retries {
		if r.attempt == a.attempt {
			return
		}
	}
	a.retries = append(a.retries, retry{a.attempt, t.keepName(e.RetryReason), firstKnown(a.progress, at)})
}

// fate is what became of an agent: the values of cbc.agent.state.
type fate uint8

const (
	agentDone       fate = iota
	agentFailed          // by an error of its own
	agentCached          // answered from an earlier run
	agentCancelled       // by the end of its workflow
	agentUnfinished      // left behind by a workflow that completed
	fates
)

var fateNames = [fates]string{"done", "error", "cached", "cancelled", "unfinished"}

func (f fate) String() string { return fateNames[f] }

// byItself says whether the agent had an end of its own rather than its workflow's.
func (f fate) byItself() bool { return f <= agentCached }

// fate returns what became of the agent in a workflow that ended so.
func (a *agent) fate(end string) fate {
	switch {
	case a.state == wireCache:
		return agentCached
	case a.state == wireDone:
		return agentDone
	case a.endedWith != "":
		// The CLI says the run took the agent with it; a word we do not know stands for the end there was.
		if said := terminal(a.endedWith); said != "" {
			end = said
		}
	case a.state == wireError && aborted(a.err):
		return agentCancelled
	case a.state == wireError:
		return agentFailed
	}
	if end == completed {
		return agentUnfinished
	}
	return agentCancelled
}

// aborted recognises the error of an agent that was aborted with its session (protocol section 4.1).
func aborted(err string) bool {
	return strings.HasPrefix(strings.TrimSpace(strings.ToLower(err[:min(len(err), 64)])), "subagent aborted")
}

// hasStarted is false only for an agent that never did: it waited in the queue, was refused or came from the cache.
func (a *agent) hasStarted() bool {
	return a.started != 0 || a.state == wireDone || a.state == wireBusy
}

// times returns when the agent ran, for a workflow that ran in the given interval.
func (a *agent) times(f fate, workflow interval) interval {
	i := interval{start: firstKnown(a.started, a.queued, a.firstSeen), end: a.ended}
	if i.end == 0 && f.byItself() {
		i.end = firstKnown(a.progress, a.started.plus(a.active, +1), a.endSeen)
	}
	if i.end == 0 {
		i.end = workflow.end
	}
	return i.within(workflow)
}
