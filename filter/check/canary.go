package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cbc-otel/filter"
	"cbc-otel/mapping"
)

// Survivor is a canary that would leave though something forbids it.
type Survivor struct {
	Planted   string   // the kind of place it was planted in
	What      string   // text, a kind of credential, or the path of a rule whose pattern it matches
	Places    []string // where it is left
	Forbidden string   // by what
}

func (s Survivor) String() string {
	return fmt.Sprintf("%s planted as %s is left in %s, forbidden by %s", s.What, s.Planted, strings.Join(s.Places, ", "), s.Forbidden)
}

// field is a planted tree without rules, and what would leave of it.
type field struct {
	plot
	before, after []place
}

// canaries plants one canary after the other and collects those that survive.
func (r *Report) canaries(p Policy) {
	for i, plot := range plots() {
		r.text(p, plot, token(i))
	}
	if s := p.Config.Redaction.Secrets; s == nil || *s {
		for _, c := range credentials() {
			for _, plot := range plots() {
				for _, pad := range pads(plot, c.text) {
					r.secret(p, plot, c, pad)
				}
			}
		}
	}
	for i, pattern := range p.Config.Redaction.BlockedValues {
		r.blocked(p, fmt.Sprintf("redaction.blocked_values[%d]", i), pattern)
	}
}

// plant grows the tree of a plot and lets the rules at it.
func (p *Policy) plant(plot plot, canary string) field {
	bare, ruled := p.Mapping, p.Mapping
	bare.Redact = nil
	ruled.Redact = p.Rules.Redactor().Redact
	before, resource := grow(plot, canary, bare)
	after, _ := grow(plot, canary, ruled)
	p.Rules.Apply(&after)
	left, _ := p.Rules.ApplyResource(resource)
	return field{plot, places(before, resource), places(after, left)}
}

// having returns the places with the text.
func having(all []place, text string) []place {
	var out []place
	for _, p := range all {
		if strings.Contains(p.text, text) {
			out = append(out, p)
		}
	}
	return out
}

// text checks a canary that only rules on keys, and our own settings, can forbid.
func (r *Report) text(p Policy, plot plot, canary string) {
	r.Canaries++
	f := p.plant(plot, canary)
	left := having(f.after, canary)
	if len(left) == 0 {
		return
	}
	if by := p.settings(plot); by != "" {
		r.survives(plot, "text", left, by)
		return
	}
	if plot.twice {
		return
	}
	// What rules for all spans take out of one place must not leave by another, unless that is allowed by name.
	global := p.global()
	g := global.plant(plot, canary)
	var forbidden []string
	for _, b := range having(f.before, canary) {
		if !slices.ContainsFunc(having(g.after, canary), b.same) {
			forbidden = append(forbidden, "the rules, which take it out of "+b.String())
		}
	}
	left = slices.DeleteFunc(left, p.allowed)
	if len(forbidden) > 0 && len(left) > 0 {
		r.survives(plot, "text", left, strings.Join(slices.Compact(forbidden), " and "))
	}
}

// settings tells which setting of ours keeps what is planted there in.
func (p *Policy) settings(plot plot) string {
	switch o := p.Mapping; {
	case plot.content && !o.Content:
		return "content: false"
	case plot.label && o.AgentNames != "" && o.AgentNames != "label":
		return "names.agent: " + o.AgentNames
	case plot.err && o.ErrorText == "type":
		return "errors: type"
	}
	return ""
}

// global is the policy with only those rules that are for all spans.
func (p *Policy) global() *Policy {
	g := *p
	g.Config.Drop = nil
	g.Config.Attributes = slices.DeleteFunc(slices.Clone(p.Config.Attributes), func(a filter.AttributeRule) bool {
		return a.Include != nil || a.Exclude != nil
	})
	rules, errs := filter.Compile(g.Config)
	if len(errs) > 0 {
		return p // a part of what compiles does compile
	}
	g.Rules = rules
	return &g
}

// allowed reports whether the configuration lets the place through by name.
func (p *Policy) allowed(at place) bool {
	r := p.Config.Redaction
	if at.key == "" {
		return false
	}
	return slices.Contains(r.AllowedKeys, at.key) || p.ignored(at.key)
}

func (p *Policy) ignored(key string) bool {
	r := p.Config.Redaction
	return slices.Contains(r.IgnoredKeys, key) || slices.ContainsFunc(r.IgnoredKeyPatterns, func(expr string) bool {
		re, err := regexp.Compile(expr)
		return err == nil && re.MatchString(key)
	})
}

// secret checks a credential, which must not leave from anywhere.
func (r *Report) secret(p Policy, plot plot, c credential, pad string) {
	r.Canaries++
	f := p.plant(plot, pad+c.text)
	left := having(f.after, c.core)
	if len(left) == 0 && pad != "" {
		left = having(f.after, c.core[:len(c.core)/3]) // what a cut would leave
	}
	if len(left) > 0 {
		r.survives(plot, c.kind, left, "the built-in secrets")
	}
}

// blocked checks a text the pattern matches: it must not leave in one piece from where the pattern matches.
func (r *Report) blocked(p Policy, rule, pattern string) {
	text, ok := sample(pattern)
	if !ok {
		r.Untested = append(r.Untested, rule+": no text of "+fmt.Sprint(shortest)+" characters that it matches was found")
		return
	}
	re := regexp.MustCompile(pattern)
	for _, plot := range plots() {
		for _, pad := range pads(plot, text) {
			if !re.MatchString(pad + text) {
				continue // the pattern wants the beginning of a text
			}
			r.Canaries++
			f := p.plant(plot, pad+text)
			left := slices.DeleteFunc(having(f.after, text), func(at place) bool {
				return !re.MatchString(at.text) || p.exempt(at.text) || at.key != "" && p.ignored(at.key) || isProtected(at)
			})
			if len(left) > 0 {
				r.survives(plot, "a match", left, rule)
			}
		}
	}
}

// exempt reports whether allowed_values lets the text through.
func (p *Policy) exempt(text string) bool {
	return slices.ContainsFunc(p.Config.Redaction.AllowedValues, func(expr string) bool {
		re, err := regexp.Compile(expr)
		return err == nil && re.MatchString(text)
	})
}

// isProtected reports whether blocked values do not count: docs/filtering.md.
func isProtected(at place) bool {
	switch at.key {
	case mapping.KeyTaskID, mapping.KeyWorkflowStatus, mapping.KeyErrorType:
		return true
	}
	return false
}

func (r *Report) survives(plot plot, what string, left []place, by string) {
	s := Survivor{Planted: plot.name, What: what, Forbidden: by}
	for _, p := range left {
		if !slices.Contains(s.Places, p.String()) {
			s.Places = append(s.Places, p.String())
		}
	}
	if !slices.ContainsFunc(r.Survivors, func(o Survivor) bool { return o.String() == s.String() }) {
		r.Survivors = append(r.Survivors, s)
	}
}

// pads are texts to be put before a canary. In names it is also planted where they are cut, at 128 runes,
// so that a rule that looks at the text too late finds but half of it.
func pads(plot plot, canary string) []string {
	if plot.name != "agent label" && plot.name != "phase title" {
		return []string{""}
	}
	before := max(0, 128-len("invoke_agent ")-len(canary)/2)
	return []string{"", strings.Repeat("x", before) + " "}
}
