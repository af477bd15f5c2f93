package check

import (
	"fmt"

	"cbc-otel/mapping"
)

// place is somewhere text is in a tree.
type place struct {
	kind mapping.SpanKind // empty: the resource
	span mapping.SpanID
	name string // as shown: name, status.message, attribute KEY, event NAME attribute KEY, …
	key  string // of the attribute, or of what stands for one: status.message, of the name what it repeats
	text string
}

func (p place) String() string {
	if p.kind == "" {
		return "resource " + p.name
	}
	return string(p.kind) + " " + p.name
}

// same reports whether the other one is the same place of the same span, or of a span of the same kind.
func (p place) same(o place) bool { return p.kind == o.kind && p.name == o.name }

// places lists all text of a tree and its resource.
func places(t mapping.Tree, resource []mapping.Attribute) []place {
	var all []place
	for i := range t.Spans {
		s := &t.Spans[i]
		at := place{kind: s.Kind, span: s.SpanID}
		all = at.add(all, "name", nameKey(s.Kind), s.Name)
		all = at.add(all, "status.message", "status.message", s.Status.Description)
		all = at.add(all, "tracestate", "", s.Parent.TraceState)
		all = at.list(all, "", s.Attributes)
		for _, e := range s.Events {
			all = at.add(all, "event name", "", e.Name)
			all = at.list(all, "event ", e.Attributes)
		}
		for _, l := range s.Links {
			all = at.add(all, "link tracestate", "", l.Context.TraceState)
			all = at.list(all, "link ", l.Attributes)
		}
	}
	return place{}.list(all, "", resource)
}

func (p place) add(all []place, name, key, text string) []place {
	if text == "" {
		return all
	}
	p.name, p.key, p.text = name, key, text
	return append(all, p)
}

func (p place) list(all []place, of string, list []mapping.Attribute) []place {
	for _, a := range list {
		all = p.add(all, of+"attribute name", "", a.Key)
		values, isList := a.Value.([]string)
		if !isList {
			values = []string{fmt.Sprint(a.Value)}
		}
		for _, v := range values {
			all = p.add(all, of+"attribute "+a.Key, a.Key, v)
		}
	}
	return all
}

// nameKey is the attribute that a span's name repeats.
func nameKey(kind mapping.SpanKind) string {
	switch kind {
	case mapping.WorkflowSpan:
		return mapping.KeyWorkflowName
	case mapping.PhaseSpan:
		return mapping.KeyPhaseTitle
	}
	return mapping.KeyAgentName
}
