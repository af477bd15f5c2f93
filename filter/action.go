package filter

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"cbc-otel/mapping"
)

// attributeRule is a compiled [AttributeRule].
type attributeRule struct {
	id               int
	include, exclude *matcher // nil: every span, no span
	actions          []action
}

// action is a compiled [Action]. See the README of the collector's attributes processor for each of them.
type action struct {
	do       string
	key      string
	value    any // nil: from, then fallback
	from     string
	fallback any
	pattern  int            // delete, hash: number of the pattern on keys, or -1
	expr     *regexp.Regexp // extract
	targets  []string       // extract: keys by the number of the group
	to       string         // convert
}

const allActions = "insert, update, upsert, delete, hash, extract, convert"

// action compiles an action and checks which of its keys belong to it.
func (c *compiler) action(key string, a Action) action {
	out := action{do: lower(a.Action), key: a.Key, from: a.FromAttribute, to: a.ConvertedType, pattern: -1}
	if a.Action == "" {
		c.add(key+".action", "required: one of %s", allActions)
		return out
	}
	if !slices.Contains(strings.Split(allActions, ", "), out.do) {
		c.add(key+".action", "must be one of %s", allActions)
		return out
	}
	takesAway := out.do == "delete" || out.do == "hash"
	switch {
	case a.Key != "":
	case !takesAway:
		c.add(key+".key", "required")
	case a.Pattern == "":
		c.add(key+".key", "key or pattern is required")
	}
	c.key(key+".key", a.Key)
	c.key(key+".from_attribute", a.FromAttribute)
	sets := out.do == "insert" || out.do == "update" || out.do == "upsert"
	c.unused(key, out.do, "value", a.Value != nil && !sets)
	c.unused(key, out.do, "from_attribute", a.FromAttribute != "" && !sets)
	c.unused(key, out.do, "default_value", a.DefaultValue != nil && !sets)
	c.unused(key, out.do, "pattern", a.Pattern != "" && (sets || out.do == "convert"))
	c.unused(key, out.do, "converted_type", a.ConvertedType != "" && out.do != "convert")
	switch {
	case sets:
		c.source(key, a, &out)
	case takesAway && a.Pattern != "":
		out.pattern = c.keyPattern(key+".pattern", a.Pattern)
	case out.do == "extract":
		c.extract(key+".pattern", a.Pattern, &out)
	case out.do == "convert" && !slices.Contains([]string{"int", "double", "string"}, a.ConvertedType):
		c.add(key+".converted_type", "must be int, double or string")
	}
	return out
}

// key refuses the name of an attribute that would make a whole batch unsendable.
func (c *compiler) key(path, name string) {
	if !utf8.ValidString(name) {
		c.add(path, "not valid UTF-8")
	}
}

func (c *compiler) unused(key, do, field string, given bool) {
	if given {
		c.add(key+"."+field, "not used by %s", do)
	}
}

// source compiles where insert, update and upsert take their value from.
func (c *compiler) source(key string, a Action, out *action) {
	switch {
	case a.Value != nil && a.FromAttribute != "":
		c.add(key, "value and from_attribute exclude each other")
	case a.Value == nil && a.FromAttribute == "" && a.DefaultValue == nil:
		c.add(key, "value, from_attribute or default_value is required")
	}
	out.value = c.value(key+".value", a.Value)
	out.fallback = c.value(key+".default_value", a.DefaultValue)
}

// value checks a value that a rule puts on spans.
func (c *compiler) value(key string, value any) any {
	v, err := configValue(value)
	if err != nil {
		c.add(key, "%v", err)
	}
	if v != nil {
		c.values = append(c.values, keyedValue{key, v})
	}
	return v
}

func (c *compiler) extract(key, expr string, out *action) {
	if expr == "" {
		c.add(key, "required by extract")
		return
	}
	out.expr = c.pattern(key, expr)
	if out.expr == nil {
		return
	}
	out.targets = out.expr.SubexpNames()
	switch {
	case len(out.targets) == 1:
		c.add(key, "must have a named group, as in (?P<role>[^:]+)")
	case slices.Contains(out.targets[1:], ""):
		c.add(key, "every group must have a name, as in (?P<role>[^:]+)")
	}
}

// applies reports whether the rule is for the span.
func (r *attributeRule) applies(s *mapping.Span, attrs *bag) bool {
	return (r.include == nil || r.include.matches(s, attrs)) && (r.exclude == nil || !r.exclude.matches(s, attrs))
}

// apply runs the action on a bag. Outside the span's own attributes only delete and hash have a meaning:
// what they take away from the one place is not to leave by the other.
func (a *action) apply(p *pass, b *bag, own bool, id int) {
	if a.do == "delete" || a.do == "hash" {
		a.takeAway(p, b, id)
		return
	}
	if !own {
		return
	}
	at := b.find(a.key)
	switch a.do {
	case "insert", "update", "upsert":
		value, ok := a.source(b)
		if !ok || a.do == "insert" && at >= 0 || a.do == "update" && at < 0 {
			return
		}
		p.put(b, a.key, value)
		p.hit(id)
	case "extract":
		a.extract(p, b, at, id)
	case "convert":
		if at < 0 {
			return
		}
		if v := converted(b.items[at].value, a.to); !sameValue(v, b.items[at].value) {
			b.set(at, v)
			p.hit(id)
		}
	}
}

// takeAway is delete and hash: of the key, and of each key the pattern matches.
func (a *action) takeAway(p *pass, b *bag, id int) {
	if a.do == "delete" {
		n := b.remove(func(it *item) bool { return it.key == a.key && a.key != "" || p.matches(it.facts, a.pattern) })
		p.hits[id] += n
		return
	}
	for i := range b.items {
		it := &b.items[i]
		byKey, byPattern := it.key == a.key && a.key != "", p.matches(it.facts, a.pattern)
		if byKey {
			b.set(i, hashed(it.value))
		}
		if byPattern { // the collector hashes twice what both name
			b.set(i, hashed(it.value))
		}
		if byKey || byPattern {
			p.hit(id)
		}
	}
}

// source is the value insert, update and upsert set.
func (a *action) source(b *bag) (any, bool) {
	if a.value != nil {
		return a.value, true
	}
	if a.from != "" {
		if v, ok := b.get(a.from); ok {
			return v, true
		}
	}
	return a.fallback, a.fallback != nil
}

// extract sets one attribute for each group; what has the key already is replaced.
func (a *action) extract(p *pass, b *bag, at, id int) {
	if at < 0 {
		return
	}
	s, isText := b.items[at].value.(string)
	if !isText {
		return
	}
	groups := a.expr.FindStringSubmatch(s)
	for i := 1; i < len(groups); i++ {
		p.put(b, a.targets[i], groups[i])
	}
	if groups != nil {
		p.hit(id)
	}
}
