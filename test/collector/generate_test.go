package collector

import (
	"fmt"
	"math/rand/v2"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// generator makes policies and traces. What the list of differences is about is left out of them, each with
// a word on where it is tested.
type generator struct {
	*rand.Rand
	arrays bool // values that are lists: redaction treats them otherwise (TestArrays)
}

func one[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

func some[T any](g *generator, list ...T) []any {
	var out []any
	for _, e := range list {
		if g.IntN(3) == 0 {
			out = append(out, e)
		}
	}
	return out
}

// keys has none that is protected (TestProtectedKeys). Lists live in keys of their own, as a pattern on a
// value looks into them here and never matches there (TestPatternsOnArrays).
func (g *generator) key() string {
	return one(g, "team", "notes", "id", "api_token", "user.email", "cbc.agent.id", "cbc.agent.tokens", "gen_ai.request.model", "gen_ai.agent.name", "a", "")
}

func (g *generator) realKey() string {
	for {
		if k := g.key(); k != "" {
			return k
		}
	}
}

func (g *generator) text() string {
	return one(g, "", "plain", "gather:alpha", "4111111111111111", "card 4111111111111111 and 5500000000000004.", "me@mycompany.com",
		"you@support.mycompany.com", "ünïcode 🙂", "true", "12", "-3", "1.5", "1e3", "secret", "a secret, one more secret", "<a&b>\"c\"", " ")
}

func (g *generator) scalar() any {
	switch g.IntN(6) {
	case 0:
		return one(g, int64(0), int64(1), int64(-7), int64(4111111111111111))
	case 1:
		return one(g, 0.5, 1.5, -2.25, 1e21, 1e-9, 3.99)
	case 2:
		return g.IntN(2) == 0
	}
	return g.text()
}

func (g *generator) value() any {
	if g.arrays && g.IntN(6) == 0 {
		return []any{g.text(), g.text()}
	}
	return g.scalar()
}

func (g *generator) keyPattern() string {
	return one(g, "token", ".*token.*", "^cbc", "[ai]d$", "^a$", "e", "^gen_ai\\.(agent|request)", "list")
}

func (g *generator) valuePattern() string {
	return one(g, "4[0-9]{12}(?:[0-9]{3})?", "(5[1-5][0-9]{14})", "secret", "mycompany.com", "^plain$", "[^\\x00-\\x7f]+", "a*", "\\d", "(?i)ALPHA", "^$", "x?")
}

func (g *generator) names() []string {
	return []string{"invoke_agent gather:alpha", "invoke_agent write", "phase Gather", "GET /x"}
}

func (g *generator) match() yaml {
	m := yaml{"match_type": one(g, "strict", "regexp")}
	isRegexp := m["match_type"] == "regexp"
	if g.IntN(2) == 0 {
		if m["span_names"] = []any{one(g, g.names()...)}; isRegexp {
			m["span_names"] = []any{one(g, "^invoke_agent", "gather", "e$", "nothing"), "x$"}
		}
	}
	if m["span_names"] == nil || g.IntN(2) == 0 {
		a := yaml{"key": g.realKey()}
		if g.IntN(3) > 0 {
			if a["value"] = g.scalar(); isRegexp {
				a["value"] = one(g, "^[0-9]+$", "secret", "^true$", "plain|gather", "\\.5$", "e")
			}
		}
		m["attributes"] = []any{a}
	}
	return m
}

func (g *generator) action() yaml {
	a := yaml{"action": one(g, "insert", "update", "upsert", "delete", "hash", "extract", "convert")}
	switch a["action"] {
	case "insert", "update", "upsert":
		a["key"] = g.realKey()
		switch g.IntN(4) {
		case 0:
			a["from_attribute"] = g.realKey()
		case 1:
			a["from_attribute"], a["default_value"] = g.realKey(), g.value()
		default:
			a["value"] = g.value()
		}
		for _, k := range []string{"value", "default_value"} {
			if _, isList := a[k].([]any); isList {
				a["key"] = "list"
			}
		}
	case "delete", "hash":
		if g.IntN(2) == 0 {
			a["key"] = g.realKey()
		}
		if a["key"] == nil || g.IntN(3) == 0 {
			a["pattern"] = g.keyPattern()
		}
	case "extract":
		a["key"], a["pattern"] = g.realKey(), one(g, "^(?P<role>[^:]+):(?P<topic>.*)$", "(?P<team>[0-9]+)", "(?P<a>x)?(?P<b>e)")
	case "convert":
		a["key"], a["converted_type"] = one(g, g.realKey(), g.realKey(), "list"), one(g, "int", "double", "string")
	}
	return a
}

// attributes makes up to three attributes processors.
func (g *generator) attributes() []any {
	var rules []any
	for range 1 + g.IntN(3) {
		r := yaml{}
		if g.IntN(2) == 0 {
			r["include"] = g.match()
		}
		if g.IntN(3) == 0 {
			r["exclude"] = g.match()
		}
		var actions []any
		for range 1 + g.IntN(4) {
			actions = append(actions, g.action())
		}
		r["actions"] = actions
		rules = append(rules, r)
	}
	return rules
}

// redaction makes a redaction processor.
func (g *generator) redaction() yaml {
	r := yaml{"allow_all_keys": true}
	if g.IntN(2) == 0 {
		r["allow_all_keys"], r["allowed_keys"] = false, append(some(g, "team", "notes", "id", "api_token", "cbc.agent.id", "a"), "user.email")
	}
	if keys := some(g, "id", "gen_ai.agent.name"); keys != nil {
		r["ignored_keys"] = keys
	}
	r["redact_all_types"] = g.IntN(2) == 0
	r["summary"] = one(g, "debug", "info", "silent", "")
	if r["summary"] == "" {
		delete(r, "summary") // absent is silent; we do not take an empty text for it
	}
	for key, pattern := range map[string]func() string{
		"ignored_key_patterns": g.keyPattern, "blocked_key_patterns": g.keyPattern, "blocked_values": g.valuePattern, "allowed_values": g.valuePattern,
	} {
		var list []any
		for range g.IntN(3) {
			list = append(list, pattern())
		}
		if list != nil {
			r[key] = list
		}
	}
	switch h := one(g, "", "md5", "sha1", "sha3", "hmac-sha256", "hmac-sha512", "mask"); h {
	case "":
	case "mask":
		r["masking_string"] = "[gone]"
	default:
		r["hash_function"] = h
		r["hmac_key"] = fmt.Sprintf("%064d", g.IntN(9))
	}
	return r
}

func (g *generator) fill(m pcommon.Map) {
	for range g.IntN(9) {
		k := g.key()
		if k == "" {
			continue
		}
		if err := m.PutEmpty(k).FromRaw(g.scalar()); err != nil {
			panic(err)
		}
	}
	if g.arrays && g.IntN(2) == 0 {
		if err := m.PutEmpty("list").FromRaw([]any{g.text(), g.text()}); err != nil {
			panic(err)
		}
	}
}

// traces makes traces of a resource with a few spans. They have no status message, the events no name, and
// where there are patterns on values the spans have none either: we look at them, the collector does not
// (TestTextThatIsNoAttribute).
func (g *generator) traces(names ...string) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	g.fill(rs.Resource().Attributes())
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	for i := range 1 + g.IntN(3) {
		s := spans.AppendEmpty()
		s.SetTraceID(pcommon.TraceID{1})
		s.SetSpanID(pcommon.SpanID{byte(i + 1)})
		s.SetName(one(g, names...))
		g.fill(s.Attributes())
		for range g.IntN(2) {
			g.fill(s.Events().AppendEmpty().Attributes())
		}
	}
	return td
}
