package filter

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cbc-otel/mapping"
)

// matcher is a compiled [Match].
type matcher struct {
	kinds      []mapping.SpanKind
	names      []text
	attributes []attributeMatcher
}

// text is a string to be equal to, or a pattern.
type text struct {
	strict string
	re     *regexp.Regexp // nil: strict
}

func (t text) matches(s string) bool {
	if t.re != nil {
		return t.re.MatchString(s)
	}
	return s == t.strict
}

type attributeMatcher struct {
	key   string
	value any  // strict; nil: any value
	text  text // with re: for texts, numbers and bools
}

var spanKinds = []mapping.SpanKind{
	mapping.WorkflowSpan, mapping.PhaseSpan, mapping.AgentSpan,
	mapping.SessionSpan, mapping.RequestSpan, mapping.ToolSpan, mapping.NativeSpan,
}

// matcher compiles a match found under key.
func (c *compiler) matcher(key string, m Match) *matcher {
	out := &matcher{}
	isRegexp := m.MatchType == "regexp"
	if m.MatchType != "strict" && !isRegexp {
		c.add(key+".match_type", "must be strict or regexp")
	}
	if len(m.Spans)+len(m.SpanNames)+len(m.Attributes) == 0 {
		c.add(key, "at least one of spans, span_names and attributes must be given")
	}
	for i, s := range m.Spans {
		kind := mapping.SpanKind(s)
		if !slices.Contains(spanKinds, kind) {
			c.add(index(key+".spans", i), "must be workflow, phase, agent, session, request, tool or native")
		}
		out.kinds = append(out.kinds, kind)
	}
	for i, s := range m.SpanNames {
		t := text{strict: s}
		if isRegexp {
			t.re = c.pattern(index(key+".span_names", i), s)
		}
		out.names = append(out.names, t)
	}
	for i, a := range m.Attributes {
		out.attributes = append(out.attributes, c.attributeMatcher(index(key+".attributes", i), a, isRegexp))
	}
	return out
}

func (c *compiler) attributeMatcher(key string, a AttributeMatch, isRegexp bool) attributeMatcher {
	out := attributeMatcher{key: a.Key}
	if a.Key == "" {
		c.add(key+".key", "required")
	}
	value, err := configValue(a.Value)
	if err != nil {
		c.add(key+".value", "%v", err)
	}
	if !isRegexp || value == nil {
		out.value = value
		return out
	}
	expr, isText := value.(string)
	if !isText {
		c.add(key+".value", "must be a string, as match_type is regexp")
		return out
	}
	out.text.re = c.pattern(key+".value", expr)
	return out
}

// matches reports whether all conditions hold for a span with these attributes.
func (m *matcher) matches(s *mapping.Span, attrs *bag) bool {
	if len(m.kinds) > 0 && !slices.Contains(m.kinds, s.Kind) {
		return false
	}
	for i := range m.attributes {
		if !m.attributes[i].matches(attrs) {
			return false
		}
	}
	return len(m.names) == 0 || slices.ContainsFunc(m.names, func(t text) bool { return t.matches(s.Name) })
}

func (m *attributeMatcher) matches(attrs *bag) bool {
	i := attrs.find(m.key)
	if i < 0 {
		return false
	}
	value := attrs.items[i].value
	if m.text.re != nil {
		if list, isList := value.([]string); isList {
			return slices.ContainsFunc(list, m.text.matches)
		}
		return m.text.matches(matchText(value))
	}
	return m.value == nil || sameValue(m.value, value)
}

// matchText is the text a pattern is compared with. The collector never writes these numbers with an exponent.
func matchText(value any) string {
	s := asText(value)
	if f, isFloat := value.(float64); isFloat && strings.ContainsRune(s, 'e') {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return s
}
