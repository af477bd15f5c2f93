package stream

import "cbc-otel/mapping"

// progress decodes the entries of a workflow_progress list. An entry of a shape we do not know is
// skipped alone.
func (d *Decoder) progress(e *mapping.Event, at int) {
	if !d.goTo(at) || d.s.peek() != '[' {
		return
	}
	s := &d.s
	s.enter('[')
	for first := true; s.next(']', first); first = false {
		switch a, p := s.entry(); {
		case a != nil:
			e.Agents = append(e.Agents, *a)
		case p != nil:
			e.Phases = append(e.Phases, *p)
		}
	}
}

// entry consumes one entry of a snapshot and returns it as an agent or a phase; both are nil if it is
// neither, or has no index to know it by.
func (s *scanner) entry() (*mapping.Agent, *mapping.Phase) {
	if s.peek() != '{' {
		s.skip()
		return nil, nil
	}
	var (
		kind  string
		index mapping.Number
		a     mapping.Agent
		p     mapping.Phase
	)
	s.enter('{')
	for first := true; s.next('}', first); first = false {
		switch string(plainKey(s.key())) {
		case "type":
			kind = s.text()
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
			a.State = s.text()
		case "cached":
			a.Cached = s.boolean()
		case "phaseIndex":
			a.PhaseIndex = s.index()
		case "phaseTitle":
			a.PhaseTitle = s.text()
		case "model":
			a.Model = s.text()
		case "fallbackModel":
			a.FallbackModel = s.text()
		case "agentType":
			a.Type = s.text()
		case "promptPreview":
			a.PromptPreview = s.text()
		case "resultPreview":
			a.ResultPreview = s.text()
		case "error":
			a.Error = s.text()
		case "endedWithRun":
			a.EndedWithRun = s.text()
		case "lastToolName":
			a.LastTool = s.text()
		case "lastToolSummary":
			a.LastToolNote = s.text()
		case "lastAttemptReason":
			a.RetryReason = s.text()
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
	switch {
	case s.bad || !index.Valid:
	case kind == "workflow_agent":
		a.Index = index.Value
		return &a, nil
	case kind == "workflow_phase":
		p.Index = index.Value
		return nil, &p
	}
	return nil, nil
}
