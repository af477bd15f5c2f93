package filter

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"cbc-otel/mapping"
)

// cleanSpan masks the secrets in every text of the span, makes each valid UTF-8, and refuses a span with
// a value of a type nobody here can look into.
func (p *pass) cleanSpan(s *mapping.Span) (err error) {
	s.Name = p.cleanText(s.Name)
	s.Status.Description = p.cleanText(s.Status.Description)
	s.Parent.TraceState = p.cleanTraceState(s.Parent.TraceState)
	if s.Attributes, err = p.cleanAttributes(s.Attributes); err != nil {
		return err
	}
	s.Events = slices.Clone(s.Events)
	for i := range s.Events {
		e := &s.Events[i]
		e.Name = p.cleanText(e.Name)
		if e.Attributes, err = p.cleanAttributes(e.Attributes); err != nil {
			return err
		}
	}
	s.Links = slices.Clone(s.Links)
	for i := range s.Links {
		l := &s.Links[i]
		l.Context.TraceState = p.cleanTraceState(l.Context.TraceState)
		if l.Attributes, err = p.cleanAttributes(l.Attributes); err != nil {
			return err
		}
	}
	return nil
}

// cleanAttributes returns the list with clean keys and values: the list itself, if all were.
func (p *pass) cleanAttributes(list []mapping.Attribute) ([]mapping.Attribute, error) {
	out := list
	for i := range list {
		a := &list[i]
		clean, same, err := p.cleanAttribute(a)
		if err != nil {
			return nil, err
		}
		if same {
			continue
		}
		if &out[0] == &list[0] {
			out = slices.Clone(list)
		}
		out[i] = clean
	}
	return out, nil
}

// cleanAttribute returns the attribute clean, or that it was.
func (p *pass) cleanAttribute(a *mapping.Attribute) (clean mapping.Attribute, same bool, err error) {
	clean.Key = toUTF8(a.Key)
	same = clean.Key == a.Key
	clean.Value = a.Value
	switch v := a.Value.(type) {
	case string:
		if s := p.cleanText(v); s != v {
			clean.Value, same = s, false
		}
	case []string:
		if l := p.cleanList(v); len(l) > 0 && &l[0] != &v[0] {
			clean.Value, same = l, false
		}
	case int64, bool, float64:
	default:
		return clean, false, fmt.Errorf("attribute %q has a value of type %T", a.Key, a.Value)
	}
	return clean, same, nil
}

func (p *pass) cleanList(list []string) []string {
	out := list
	for i, s := range list {
		t := p.cleanText(s)
		if t == s {
			continue
		}
		if &out[0] == &list[0] {
			out = slices.Clone(list)
		}
		out[i] = t
	}
	return out
}

// cleanText masks the secrets in a text.
func (p *pass) cleanText(s string) string {
	s = toUTF8(s)
	if p.rules.secrets == nil {
		return s
	}
	t, n := p.rules.secrets.Redact(s)
	p.hits[p.rules.secretsID] += n
	return t
}

// cleanTraceState removes the members of a W3C tracestate that hold a secret: with a mask in it a member
// would not be well-formed.
func (p *pass) cleanTraceState(s string) string {
	return filterMembers(s, func(m string) bool { return p.cleanText(m) == m })
}

// filterMembers keeps the members of a tracestate for which keep is true.
func filterMembers(s string, keep func(string) bool) string {
	if s == "" {
		return s
	}
	members := strings.Split(s, ",")
	kept := slices.DeleteFunc(slices.Clone(members), func(m string) bool { return !keep(m) })
	if len(kept) == len(members) {
		return s
	}
	return strings.Join(kept, ",")
}

func toUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
