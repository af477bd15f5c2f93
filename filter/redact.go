package filter

import "slices"

// redact works on the attributes of one place and tells of it there.
func (p *pass) redact(b *bag) {
	n := p.redactItems(b)
	n.write(p, b)
}

// redactItems goes through the attributes of one place in the order of the collector: own summaries,
// ignored keys, keys that are not allowed, allowed values, blocked keys, blocked values.
func (p *pass) redactItems(b *bag) (n outcomes) {
	r := &p.rules.redaction
	b.remove(func(it *item) bool {
		f := it.facts
		switch {
		case f.summary:
			return r.summary == "" && p.isUnlisted(f)
		case f.ignored >= 0:
			p.hit(f.ignored)
			n.ignored++
			return false
		case p.isUnlisted(f) && !f.protected:
			p.hit(r.allowAllID)
			n.redacted = append(n.redacted, it.key)
			return true
		}
		if f.allowed >= 0 {
			p.hit(f.allowed)
		}
		value, what := p.redactValue(it.value, f)
		switch what {
		case wasMasked:
			it.value = value
			b.changed = true
			n.masked = append(n.masked, it.key)
		case wasExempt:
			n.allowed = append(n.allowed, it.key)
		}
		return false
	})
	return n
}

func (p *pass) isUnlisted(f *keyFacts) bool { return !p.rules.redaction.allowAll && f.allowed < 0 }

// done is what became of a value.
type done int

const (
	untouched done = iota
	wasMasked
	wasExempt // a value of allowed_values
)

// redactValue masks what of a value is blocked. Only texts are looked at, unless redact_all_types is set.
func (p *pass) redactValue(value any, f *keyFacts) (any, done) {
	r := &p.rules.redaction
	list, isList := value.([]string)
	blocked := f.blocked >= 0
	if isList && !blocked {
		return p.redactList(list, f)
	}
	s, _ := value.(string) // of another type: the empty text, as in the collector
	if r.all {
		s = asText(value)
	}
	if isList && p.allExempt(list) || !isList && p.isExempt(s) {
		return value, wasExempt
	}
	if blocked {
		p.hit(f.blocked)
		return r.masked(s), wasMasked
	}
	if f.protected && isPlainID(value) {
		return value, untouched
	}
	if t := p.redactText(s); t != s {
		return t, wasMasked
	}
	return value, untouched
}

// redactList masks what is blocked in each text of a list.
func (p *pass) redactList(list []string, f *keyFacts) (any, done) {
	what := untouched
	out := list
	for i, s := range list {
		if p.isExempt(s) {
			if what == untouched {
				what = wasExempt
			}
			continue
		}
		if t := p.redactText(s); t != s {
			if what != wasMasked {
				out = slices.Clone(list)
			}
			out[i] = t
			what = wasMasked
		}
	}
	return out, what
}

// isExempt reports whether a value matches one of allowed_values.
func (p *pass) isExempt(s string) bool {
	for _, v := range p.rules.redaction.exempted {
		if v.re.MatchString(s) {
			p.hit(v.id)
			return true
		}
	}
	return false
}

func (p *pass) allExempt(list []string) bool {
	for _, s := range list {
		if !p.isExempt(s) {
			return false
		}
	}
	return len(list) > 0
}

// redactText masks the parts of s that blocked_values match, one pattern after the other.
func (p *pass) redactText(s string) string {
	if _, clean := p.clean[s]; clean {
		return s
	}
	was := s
	r := &p.rules.redaction
	for _, v := range r.blocked {
		if !v.re.MatchString(s) {
			continue
		}
		p.hit(v.id)
		s = v.re.ReplaceAllStringFunc(s, r.masked)
	}
	if s == was {
		p.clean[s] = struct{}{}
	}
	return s
}

// redactLoose is redactText for a text that is the value of no key.
func (p *pass) redactLoose(s string) string {
	if s == "" || p.isExempt(s) {
		return s
	}
	return p.redactText(s)
}
