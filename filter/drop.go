package filter

import "cbc-otel/mapping"

// dropRule is a compiled [DropRule].
type dropRule struct {
	id int
	*matcher
}

// fate tells what becomes of a span.
type fate int

const (
	stays fate = iota
	dropped
	failed
)

// fates are those of the spans of a tree, by index.
type fates []fate

// drop finds the spans that a rule of drop matches, as they are before anything is changed.
func (p *pass) drop(spans []mapping.Span) fates {
	out := make(fates, len(spans))
	if len(p.rules.drop) == 0 {
		return out
	}
	for i := range spans {
		out[i] = p.dropOne(&spans[i])
	}
	return out
}

// dropOne is what the rules say of one span; one they cannot be applied to has failed.
func (p *pass) dropOne(s *mapping.Span) (f fate) {
	defer func() {
		if recover() != nil {
			f = failed
		}
	}()
	attrs := p.open(s.Attributes)
	for i := range p.rules.drop {
		if d := &p.rules.drop[i]; d.matches(s, attrs) {
			p.hit(d.id)
			return dropped
		}
	}
	return stays
}

// inherit gives each span the fate of its parents: a span never leaves without the one it hangs on. The
// root of a tree is the parent of all, so dropping it drops the tree.
func (f fates) inherit(spans []mapping.Span) {
	type global struct {
		mapping.TraceID
		mapping.SpanID
	}
	byID := make(map[global]int, len(spans))
	for i := range spans {
		byID[global{spans[i].TraceID, spans[i].SpanID}] = i
	}
	for changed := true; changed; {
		changed = false
		for i := range spans {
			parent, inTree := byID[global{spans[i].TraceID, spans[i].ParentID}]
			if f[i] == stays && inTree && parent != i && f[parent] != stays {
				f[i] = f[parent]
				changed = true
			}
		}
	}
}
