package mapping

// received returns when the event's line was read and keeps count of the latest time in the stream. In a replay that
// is the line's own stamp, else the latest time known so far: that of the line's own agents too, as it cannot have
// been read before they did what it says. Without any the time is a guess from outside the stream.
func (m *Mapper) received(ev *Event) (at stamp, guessed bool) {
	read, stamped := stampOf(ev.Received), stampOf(ev.Timestamp)
	latest := max(m.latest, read, stamped)
	switch ev.Kind {
	case Updated:
		latest = max(latest, stampOf(ev.EndTime))
	case Progress:
		for i := range ev.Agents {
			a := &ev.Agents[i]
			latest = max(latest, stampOf(a.QueuedAt), stampOf(a.StartedAt), stampOf(a.LastProgressAt), stampOf(a.EndedAt))
		}
	}
	m.latest = latest
	if at = firstKnown(read, stamped, latest); at != 0 {
		return at, false
	}
	return firstKnown(stampOf(m.options.Origin), never), true
}

// endStamp returns when the stream ended.
func (m *Mapper) endStamp(end End) stamp {
	return firstKnown(stampOf(end.At), m.latest, stampOf(m.options.Origin), never)
}
