package mapping

import "slices"

// progress takes over a snapshot. What it does not list is unchanged.
func (m *Mapper) progress(w *workflow, ev *Event, at stamp) {
	first := at
	if since := stampOf(ev.Since); since != 0 {
		first = since
	}
	if !w.counted {
		w.usage(ev.Usage)
	}
	if m.options.Content && ev.Summary != "" {
		w.summary = m.texts.keep(ev.Summary, keepContent)
	}
	if mutantFollowSession && ev.SessionID != "" {
		w.sessionID = ev.SessionID
	}
	for i := range ev.Phases {
		m.listed(w, &ev.Phases[i])
	}
	if mutantDropLastSnapshot && !slices.ContainsFunc(ev.Agents, func(a Agent) bool { return !wireOf(a.State, a.Cached).ended() }) {
		return
	}
	for i := range ev.Agents {
		m.agent(w, &ev.Agents[i], first, at)
	}
}

func (m *Mapper) listed(w *workflow, p *Phase) {
	if at := m.phase(w, p.Index); at != nil {
		at.listed = true
		replace(&at.title, m.texts.keepName(p.Title))
		replace(&at.kind, m.texts.keepName(p.Kind))
	}
}

// phase returns the phase of that index, nil if there are too many.
func (m *Mapper) phase(w *workflow, index int64) *phase {
	p := w.phases[index]
	if p == nil {
		if len(w.phases) == maxPhases {
			m.stats.Refused++
			return nil
		}
		p = &phase{index: index}
		w.phases[index] = p
	}
	return p
}

// agent takes over an agent that may have been in snapshots since first, but was seen as it is at the time at.
func (m *Mapper) agent(w *workflow, e *Agent, first, at stamp) {
	i, known := w.place[e.Index]
	if mutantKeyByAgentID && e.ID != "" {
		i = slices.IndexFunc(w.agents, func(a agent) bool { return a.id == e.ID })
		known = i >= 0
	}
	if !known {
		if len(w.agents) == maxAgents || m.agents == maxOpenAgents {
			m.stats.Refused++
			return
		}
		i = len(w.agents)
		w.agents = append(w.agents, agent{index: e.Index})
		w.place[e.Index] = i
		w.running++
		m.agents++
	}
	a := &w.agents[i]
	if mutantDoneIsFinal && a.state.ended() {
		return
	}
	if known && a.state.ended() {
		w.running++
	}
	a.replace(e, first, at, &m.texts, m.options.Content)
	if a.state.ended() {
		w.running--
	}
	if a.inPhase {
		// A phase that nobody listed has the title its agents give.
		if p := m.phase(w, a.phase); p == nil {
			a.inPhase = false
		} else if !p.listed && e.PhaseTitle != "" {
			replace(&p.title, m.texts.keepName(e.PhaseTitle))
		}
	}
}

// usage takes over the counts of a line, each that it has.
func (w *workflow) usage(u Usage) {
	for _, n := range [...]struct {
		to   *number
		from Number
	}{{&w.tokens, u.TotalTokens}, {&w.toolUses, u.ToolUses}, {&w.duration, u.DurationMS}} {
		if v := numberOf(n.from); v.known() {
			*n.to = v
		}
	}
}
