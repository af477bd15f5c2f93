package mapping

import "strconv"

// agent adds the span of an agent and counts it.
func (b *builder) agent(spans *[]Span, a *agent, parent SpanID, n, all *counts) interval {
	fate := a.fate(b.outcome.status)
	n.add(fate, a)
	all.add(fate, a)
	ran := a.times(fate, b.ran)
	f := b.agentFailure(a, fate)
	name, spanTitle := b.agentNames(a)
	s := Span{
		Kind: AgentSpan, TraceID: b.trace, SpanID: b.ids.agent(a.index), ParentID: parent,
		Name:  spanName(InvokeAgent, spanTitle),
		Start: ran.start.time(), End: ran.end.time(),
		Status: f.status(),
	}
	list := make([]Attribute, 0, 20)
	list = append(list, Attribute{KeyOperation, InvokeAgent})
	list = text(list, KeyAgentName, name)
	list = text(list, KeyConversation, b.session)
	list = text(list, KeyWorkflowName, b.workflow)
	list = text(list, KeyModel, b.name(a.model))
	list = text(list, KeyAgentID, b.name(a.id))
	list = append(list, Attribute{KeyAgentIndex, a.index}, Attribute{KeyAgentState, fate.String()},
		Attribute{KeyAgentStarted, a.hasStarted()})
	list = count(list, KeyAgentAttempt, a.attempt)
	list = text(list, KeyAgentType, b.name(a.kind))
	list = count(list, KeyAgentTokens, a.tokens)
	list = count(list, KeyAgentToolCalls, a.tools)
	list = count(list, KeyAgentQueue, a.queue())
	list = count(list, KeyAgentActive, a.active)
	list = text(list, KeyAgentLastTool, b.name(a.lastTool))
	list = text(list, KeyAgentFallback, b.name(a.fallback))
	list = text(list, KeyErrorType, f.kind)
	if c := a.content; c != nil && b.options.Content {
		list = text(list, KeyPrompt, b.content(c.prompt))
		list = text(list, KeyResult, b.content(c.result))
		list = text(list, KeyLastToolNote, b.content(c.lastToolNote))
		list = b.wholeError(list, KeyAgentText, a.err)
	}
	s.Attributes, s.AgentIDs = list, b.agentIDs(a)
	for _, r := range a.retries {
		e := SpanEvent{Name: EventRetry, Time: ran.clamp(r.at).time(), Attributes: []Attribute{{KeyAttempt, int64(r.attempt)}}}
		if b.errors || isWord(r.reason) {
			e.Attributes = text(e.Attributes, KeyReason, b.name(r.reason))
		}
		s.Events = append(s.Events, e)
	}
	*spans = append(*spans, s)
	return ran
}

// agentNames returns the agent's name and what of it is in its span's name.
func (b *builder) agentNames(a *agent) (name, inSpan string) {
	switch b.options.AgentNames {
	case "none":
	case "type":
		inSpan = b.full(a.kind)
	default:
		if !a.promptLabel || b.options.Content {
			inSpan = b.full(a.label)
		}
	}
	if inSpan == "" {
		return "agent-" + strconv.FormatInt(a.index, 10), ""
	}
	return cut(inSpan, maxText), inSpan
}

// agentFailure is the status of an agent that met this fate.
func (b *builder) agentFailure(a *agent, f fate) failure {
	var line string
	if b.errors {
		line, _ = firstLine(b.clean(a.err))
		line = oneLine(line)
	}
	switch {
	case f == agentFailed && line == "" && !b.errors:
		kind := errorType(a.err)
		return failure{kind, kind}
	case f == agentFailed:
		return failure{errorType(a.err), line}
	case f == agentCancelled && a.hasStarted():
		return failure{typeCancelled, firstText(line, b.outcome.text)}
	}
	return failure{}
}

// queue is how long the agent waited before it started, in milliseconds.
func (a *agent) queue() number {
	if a.queued == 0 || a.started < a.queued {
		return absent
	}
	return number((a.started - a.queued) / 1e6)
}

// isWord tells a code word from a text.
func isWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c|0x20 < 'a' || c|0x20 > 'z') && c != '_' && c != '-' {
			return false
		}
	}
	return len(s) <= 32
}

// agentIDs lists the ids the agent was seen with.
func (b *builder) agentIDs(a *agent) []string {
	if a.id == "" && len(a.ids) == 0 {
		return nil
	}
	ids := make([]string, 0, len(a.ids)+1)
	for _, id := range a.ids {
		if id != a.id {
			ids = append(ids, b.name(id))
		}
	}
	if a.id != "" {
		ids = append(ids, b.name(a.id))
	}
	return ids
}
