package filter

import "cbc-otel/mapping"

// StatusMessage is the name under which key rules know the message of a span's status. It is no
// attribute; delete, hash, the lists of redaction and its patterns treat it as one.
const StatusMessage = "status.message"

// SpanName is what the summary of redaction calls the name of a span.
const SpanName = "span.name"

// work is a span taken apart.
type work struct {
	own    *bag
	status *bag   // the one text, if there is one
	others []*bag // status, events, links: all but own
	events []*bag
	links  []*bag

	nameKey  string // the attribute the span's name is made of
	nameWas  any
	nameHead string // the operation, before the blank
}

func (p *pass) unpack(s *mapping.Span) *work {
	w := &work{own: p.open(s.Attributes)}
	if s.Status.Description != "" {
		w.status = p.open([]mapping.Attribute{{Key: StatusMessage, Value: s.Status.Description}})
		w.others = append(w.others, w.status)
	}
	for _, e := range s.Events {
		w.events = append(w.events, p.open(e.Attributes))
	}
	for _, l := range s.Links {
		w.links = append(w.links, p.open(l.Attributes))
	}
	w.others = append(append(w.others, w.events...), w.links...)
	w.rememberName(s)
	return w
}

// pack puts the span together again.
func (w *work) pack(s *mapping.Span) {
	s.Attributes = w.own.list(s.Attributes)
	if w.status != nil {
		v, _ := w.status.get(StatusMessage)
		s.Status.Description = asText(v)
	}
	for i, b := range w.events {
		s.Events[i].Attributes = b.list(s.Events[i].Attributes)
	}
	for i, b := range w.links {
		s.Links[i].Attributes = b.list(s.Links[i].Attributes)
	}
	w.followName(s)
}

// redactSpan runs redaction over every place of a span.
func (p *pass) redactSpan(s *mapping.Span, w *work) {
	var loose outcomes
	if name := p.redactName(s.Name, w); name != s.Name {
		s.Name = name
		loose.masked = append(loose.masked, SpanName)
	}
	if w.status != nil {
		loose.add(p.redactItems(w.status))
	}
	loose.add(p.redactItems(w.own))
	loose.write(p, w.own)
	for i, b := range w.events {
		s.Events[i].Name = p.redactLoose(s.Events[i].Name)
		p.redact(b)
	}
	keep := func(member string) bool { return p.redactLoose(member) == member }
	s.Parent.TraceState = filterMembers(s.Parent.TraceState, keep)
	for i, b := range w.links {
		s.Links[i].Context.TraceState = filterMembers(s.Links[i].Context.TraceState, keep)
		p.redact(b)
	}
}
