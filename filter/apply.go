package filter

import (
	"fmt"

	"cbc-otel/mapping"
)

// Apply changes the tree to what may leave, in this order: spans of drop go; secrets are masked; the
// attribute rules run; redaction runs. It never writes into what the tree shares with others.
//
// A span to which the rules cannot be applied is removed and counted, with all below it: nothing leaves
// in the clear. Rules that are nil remove everything.
func (r *Rules) Apply(t *mapping.Tree) Hits {
	kept, _, h := r.ApplySpans(t.Spans)
	t.Spans = kept
	return h
}

// ApplySpans is Apply for spans of any number of trees. The index of each span that is kept tells which one
// of the spans given it was.
func (r *Rules) ApplySpans(spans []mapping.Span) (kept []mapping.Span, index []int, h Hits) {
	if r == nil {
		return nil, nil, Hits{Failed: len(spans)}
	}
	p := r.pass()
	gone := p.drop(spans)
	done := make([]mapping.Span, len(spans))
	for i := range spans {
		if gone[i] != stays {
			continue
		}
		s, err := p.guarded(spans[i])
		if err != nil {
			gone[i] = failed
			continue
		}
		done[i] = s
	}
	gone.inherit(spans)
	kept = done[:0]
	index = make([]int, 0, len(spans))
	for i := range done {
		switch gone[i] {
		case stays:
			kept = append(kept, done[i])
			index = append(index, i)
		case dropped:
			p.dropped++
		case failed:
			p.failed++
		}
	}
	return kept, index, p.result()
}

// ApplyResource returns what of the attributes of a resource may leave: secrets masked, deleted and hashed
// by the attribute rules without include and exclude (a resource belongs to all spans), redacted.
func (r *Rules) ApplyResource(attrs []mapping.Attribute) (kept []mapping.Attribute, h Hits) {
	if r == nil {
		return nil, Hits{Failed: len(attrs)}
	}
	p := r.pass()
	defer func() {
		if recover() != nil {
			p.failed += len(attrs)
			kept, h = nil, p.result()
		}
	}()
	clean := make([]mapping.Attribute, 0, len(attrs))
	for _, a := range attrs {
		one, err := p.cleanAttributes([]mapping.Attribute{a})
		if err != nil {
			p.failed++
			continue
		}
		clean = append(clean, one...)
	}
	b := p.open(clean)
	for i := range r.attributes {
		if rule := &r.attributes[i]; rule.include == nil && rule.exclude == nil {
			rule.run(p, b, false)
		}
	}
	if r.redaction.active {
		p.redact(b)
	}
	return b.list(clean), p.result()
}

// guarded is span, with a panic as an error.
func (p *pass) guarded(s mapping.Span) (out mapping.Span, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	if p.rules.onSpan != nil {
		p.rules.onSpan()
	}
	return p.span(s)
}

// span returns what of s may leave.
func (p *pass) span(s mapping.Span) (mapping.Span, error) {
	r := p.rules
	if err := p.cleanSpan(&s); err != nil {
		return s, err
	}
	if len(r.attributes) == 0 && !r.redaction.active {
		return s, nil
	}
	w := p.unpack(&s)
	for i := range r.attributes {
		rule := &r.attributes[i]
		if !rule.applies(&s, w.own) {
			continue
		}
		rule.run(p, w.own, true)
		for _, b := range w.others {
			rule.run(p, b, false)
		}
	}
	if r.redaction.active {
		p.redactSpan(&s, w)
	}
	w.pack(&s)
	return s, nil
}

// run runs the actions on one place.
func (r *attributeRule) run(p *pass, b *bag, own bool) {
	for i := range r.actions {
		r.actions[i].apply(p, b, own, r.id)
	}
}
