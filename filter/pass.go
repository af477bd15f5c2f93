package filter

import "cbc-otel/mapping"

// pass is the work on one tree, or on the attributes of a resource.
type pass struct {
	rules           *Rules
	hits            []int // by id of the rule
	dropped, failed int
	byKey           map[string]*keyFacts
	clean           map[string]struct{} // texts without a blocked value: many come again with every span
}

func (r *Rules) pass() *pass {
	return &pass{
		rules: r, hits: make([]int, len(r.names)),
		byKey: map[string]*keyFacts{}, clean: map[string]struct{}{},
	}
}

func (p *pass) hit(id int) { p.hits[id]++ }

// result is what was counted.
func (p *pass) result() Hits {
	h := Hits{Rules: make([]RuleHits, len(p.hits)), Dropped: p.dropped, Failed: p.failed}
	for i, n := range p.hits {
		h.Rules[i] = RuleHits{p.rules.names[i], n}
	}
	return h
}

// keyFacts are what the rules say of a key, found out once.
type keyFacts struct {
	protected, summary        bool
	allowed, ignored, blocked int    // id of the rule that does, or -1
	matches                   []bool // by number of the pattern
}

func (p *pass) facts(key string) *keyFacts {
	if f, known := p.byKey[key]; known {
		return f
	}
	f := &keyFacts{
		protected: isProtected(key), summary: isSummary(key),
		allowed: -1, ignored: -1, blocked: -1,
		matches: make([]bool, len(p.rules.keyPatterns)),
	}
	for i, k := range p.rules.keyPatterns {
		f.matches[i] = k.re.MatchString(key) && (!f.protected || names(k.expr, key))
	}
	r := &p.rules.redaction
	if id, listed := r.allowed[key]; listed {
		f.allowed = id
	}
	if id, listed := r.ignored[key]; listed {
		f.ignored = id
	}
	f.ignored = f.first(f.ignored, r.ignoredPatterns)
	f.blocked = f.first(f.blocked, r.blockedPatterns)
	p.byKey[key] = f
	return f
}

// first returns id, or if it is -1 that of the first rule whose pattern matches the key.
func (f *keyFacts) first(id int, rules []keyRule) int {
	for _, r := range rules {
		if id < 0 && f.matches[r.pattern] {
			return r.id
		}
	}
	return id
}

// matches reports whether the pattern of that number, -1 for none, matches the key.
func (p *pass) matches(f *keyFacts, pattern int) bool { return pattern >= 0 && f.matches[pattern] }

// open makes a bag of a list.
func (p *pass) open(list []mapping.Attribute) *bag {
	b := &bag{items: make([]item, 0, len(list)+4)}
	for _, attr := range list {
		b.items = append(b.items, item{attr.Key, attr.Value, p.facts(attr.Key)})
	}
	return b
}

// put sets the first item with the key, or appends one.
func (p *pass) put(b *bag, key string, value any) {
	if i := b.find(key); i >= 0 {
		b.set(i, value)
		return
	}
	b.items = append(b.items, item{key, value, p.facts(key)})
	b.changed = true
}
