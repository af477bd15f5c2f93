package stream

import "cbc-otel/mapping"

// entryKind says what an entry of a workflow_progress list is.
type entryKind uint8

const (
	otherEntry entryKind = iota // of a shape we do not know: passed over alone
	phaseEntry
	agentEntry
	numEntryKinds
)

// readEntry consumes one entry of a snapshot and adds it to r if it is an agent or a phase with an
// index to know it by.
func (s *scanner) readEntry(r *reading) entryKey {
	if s.peek() != '{' {
		s.skip()
		return entryKey{}
	}
	var (
		kind  entryKind
		index mapping.Number
		a     mapping.Agent
		p     mapping.Phase
		like  mapping.Agent // has texts that are often the same
	)
	if n := len(r.agents); n > 0 {
		like = r.agents[n-1]
	}
	start := s.i
	s.enter('{')
	for first := true; s.next('}', first); first = false {
		switch string(plainKey(s.key())) {
		case "type":
			kind = s.entryKind()
		case "index":
			index = s.index()
		case "title":
			p.Title = s.text()
		case "kind":
			p.Kind = s.text()
		case "agentId":
			a.ID = s.text()
		case "label":
			a.Label = s.text()
		case "state":
			a.State = s.textLike(like.State)
		case "cached":
			a.Cached = s.boolean()
		case "phaseIndex":
			a.PhaseIndex = s.index()
		case "phaseTitle":
			a.PhaseTitle = s.textLike(like.PhaseTitle)
		case "model":
			a.Model = s.textLike(like.Model)
		case "fallbackModel":
			a.FallbackModel = s.textLike(like.FallbackModel)
		case "agentType":
			a.Type = s.textLike(like.Type)
		case "promptPreview":
			a.PromptPreview = s.text()
		case "resultPreview":
			a.ResultPreview = s.text()
		case "error":
			a.Error = s.text()
		case "endedWithRun":
			a.EndedWithRun = s.textLike(like.EndedWithRun)
		case "lastToolName":
			a.LastTool = s.textLike(like.LastTool)
		case "lastToolSummary":
			a.LastToolNote = s.text()
		case "lastAttemptReason":
			a.RetryReason = s.textLike(like.RetryReason)
		case "queuedAt":
			a.QueuedAt = s.millis()
		case "startedAt":
			a.StartedAt = s.millis()
		case "endedAt":
			a.EndedAt = s.millis()
		case "lastProgressAt":
			a.LastProgressAt = s.millis()
		case "attempt":
			a.Attempt = s.number()
		case "tokens":
			a.Tokens = s.number()
		case "toolCalls":
			a.ToolCalls = s.number()
		case "durationMs":
			a.DurationMS = s.number()
		default:
			s.skip()
		}
	}
	if s.bad || !index.Valid {
		return entryKey{}
	}
	switch kind {
	case agentEntry:
		if r.agents == nil {
			r.agents = make([]mapping.Agent, 0, s.others(start, r))
		}
		a.Index = index.Value
		r.agents = append(r.agents, a)
	case phaseEntry:
		p.Index = index.Value
		r.phases = append(r.phases, p)
	}
	return entryKey{kind, index.Value}
}

// others guesses how many entries there are from the one that began at start to the end of the line,
// which are agents: all if the snapshot is the first, else most likely none but this one.
func (s *scanner) others(start int, r *reading) int {
	if r.partly {
		return 1
	}
	return min(1+(len(s.b)-s.i)/(s.i-start), 1<<10)
}

// entryKind consumes the type of an entry.
func (s *scanner) entryKind() entryKind {
	if s.peek() == '"' {
		switch string(plainKey(s.str())) {
		case "workflow_agent":
			return agentEntry
		case "workflow_phase":
			return phaseEntry
		}
		return otherEntry
	}
	s.skip()
	return otherEntry
}
