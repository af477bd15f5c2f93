package filter

import (
	"testing"
	"unicode/utf8"

	"cbc-otel/mapping"
)

// source deals out values decided by fuzzed bytes, and zeros when they are used up.
type source struct{ data []byte }

func (s *source) n(limit int) int {
	if len(s.data) == 0 || limit == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b) % limit
}

func (s *source) pick(list ...string) string { return list[s.n(len(list))] }

func (s *source) text() string {
	if s.n(4) == 0 && len(s.data) > 0 {
		n := 1 + s.n(40)
		n = min(n, len(s.data))
		t := string(s.data[:n])
		s.data = s.data[n:]
		return t
	}
	return s.pick("", "plain", "gather:alpha", "4111111111111111", aToken, "a\xffb", "ünï 🙂", "x secret y", "true", "12", "1.5", "https://u:p@h/x")
}

func (s *source) key() string {
	return s.pick("a", "b", "team", "text", mapping.KeyAgentName, mapping.KeyTaskID, mapping.KeyErrorType, mapping.KeyAgentIndex,
		mapping.KeyAgentState, mapping.KeyOperation, StatusMessage, "redaction.masked.keys", "redaction.masked.count", "k\xc3")
}

func (s *source) pattern() string {
	return s.pick(".*", "^a", "secret", "4[0-9]{15}", "x*", `^cbc\.`, "name$", "(?P<one>.)(?P<two>.*)", `[^\x00-\x7f]`, "$", "(?s).", `\b`)
}

func (s *source) value() any {
	switch s.n(6) {
	case 0:
		return int64(s.n(256)) - 100
	case 1:
		return float64(s.n(256)) / 3
	case 2:
		return s.n(2) == 0
	case 3:
		return []string{s.text(), s.text()}
	}
	return s.text()
}

func (s *source) patterns() []string {
	var list []string
	for range s.n(3) {
		list = append(list, s.pattern())
	}
	return list
}

func (s *source) keys() []string {
	var list []string
	for range s.n(4) {
		list = append(list, s.key())
	}
	return list
}

func (s *source) match() *Match {
	if s.n(2) == 0 {
		return nil
	}
	m := &Match{MatchType: s.pick("strict", "regexp")}
	for range s.n(2) {
		m.Spans = append(m.Spans, s.pick("agent", "workflow", "phase"))
	}
	m.SpanNames = s.patterns()
	for range s.n(2) {
		m.Attributes = append(m.Attributes, AttributeMatch{Key: s.key(), Value: s.pattern()})
	}
	return m
}

func (s *source) config() Config {
	var c Config
	for range s.n(4) {
		r := AttributeRule{Include: s.match(), Exclude: s.match()}
		for range 1 + s.n(3) {
			a := Action{Action: s.pick("insert", "update", "upsert", "delete", "hash", "extract", "convert"), Key: s.key()}
			switch a.Action {
			case "insert", "update", "upsert":
				if a.Value = s.value(); s.n(3) == 0 {
					a.Value, a.FromAttribute = nil, s.key()
				}
			case "delete", "hash", "extract":
				a.Pattern = s.pattern()
			case "convert":
				a.ConvertedType = s.pick("int", "double", "string")
			}
			r.Actions = append(r.Actions, a)
		}
		c.Attributes = append(c.Attributes, r)
	}
	for range s.n(2) {
		if m := s.match(); m != nil {
			c.Drop = append(c.Drop, DropRule{"", m.MatchType, m.Spans, m.SpanNames, m.Attributes})
		}
	}
	c.Redaction = Redaction{
		AllowedKeys: s.keys(), IgnoredKeys: s.keys(), IgnoredKeyPatterns: s.patterns(), BlockedKeyPatterns: s.patterns(),
		BlockedValues: s.patterns(), AllowedValues: s.patterns(), RedactAllTypes: s.n(2) == 0,
		HashFunction: s.pick("", "md5", "sha256"), Summary: s.pick("", "info", "debug"), Emails: s.n(2) == 0,
	}
	return c
}

func (s *source) attributes() []mapping.Attribute {
	var list []mapping.Attribute
	for range s.n(8) {
		list = append(list, mapping.Attribute{Key: s.key(), Value: s.value()})
	}
	return list
}

func (s *source) tree() mapping.Tree {
	var t mapping.Tree
	for i := range 1 + s.n(6) {
		span := mapping.Span{
			Kind: mapping.SpanKind(s.pick("workflow", "phase", "agent", "")), SpanID: id(byte(i + 1)), ParentID: id(byte(s.n(i + 1))),
			Name: s.pick("invoke_agent ", "phase ", "") + s.text(), Attributes: s.attributes(),
			Parent: mapping.SpanContext{TraceState: "a=" + s.text()},
			Status: mapping.Status{Error: true, Description: s.text()},
		}
		for range s.n(2) {
			span.Events = append(span.Events, mapping.SpanEvent{Name: s.text(), Attributes: s.attributes()})
			span.Links = append(span.Links, mapping.Link{Context: mapping.SpanContext{TraceState: s.text()}, Attributes: s.attributes()})
		}
		t.Spans = append(t.Spans, span)
	}
	return t
}

// Any rules on any tree: no panic gets out, all text is UTF-8, no secret is left, every span's parent is
// there if it was, and what is protected stays.
func FuzzApply(f *testing.F) {
	f.Add([]byte("a tree and its rules"), []byte("0123456789"))
	f.Add([]byte{}, []byte{255, 254, 253, 252, 251, 250, 249, 248, 247, 246, 245})
	f.Fuzz(func(t *testing.T, rules, spans []byte) {
		c := (&source{rules}).config()
		r, errs := Compile(c)
		if len(errs) > 0 {
			return
		}
		s := &source{spans}
		tree, resource := s.tree(), s.attributes()
		was := map[mapping.SpanID]mapping.Span{}
		for _, span := range tree.Spans {
			was[span.SpanID] = span
		}
		h := r.Apply(&tree)
		if h.Failed != 0 {
			t.Fatalf("%d spans failed", h.Failed)
		}
		if len(tree.Spans)+h.Dropped != len(was) {
			t.Fatalf("%d spans left, %d dropped, of %d", len(tree.Spans), h.Dropped, len(was))
		}
		kept, _ := r.ApplyResource(resource)
		checkTexts(t, kept)
		left := map[mapping.SpanID]bool{}
		for _, span := range tree.Spans {
			left[span.SpanID] = true
		}
		for _, span := range tree.Spans {
			if _, inTree := was[span.ParentID]; inTree && !left[span.ParentID] {
				t.Fatalf("span %v is left without its parent", span.SpanID)
			}
			checkSpan(t, span)
			if !namesProtected(c) {
				checkProtected(t, was[span.SpanID].Attributes, span.Attributes)
			}
		}
	})
}

func checkSpan(t *testing.T, s mapping.Span) {
	t.Helper()
	all := attrs("name", s.Name, "status", s.Status.Description, "tracestate", s.Parent.TraceState)
	checkTexts(t, append(all, s.Attributes...))
	for _, e := range s.Events {
		checkTexts(t, append(attrs("event", e.Name), e.Attributes...))
	}
	for _, l := range s.Links {
		checkTexts(t, append(attrs("link", l.Context.TraceState), l.Attributes...))
	}
}

func checkTexts(t *testing.T, list []mapping.Attribute) {
	t.Helper()
	for _, a := range list {
		texts, _ := a.Value.([]string)
		if s, isText := a.Value.(string); isText {
			texts = []string{s}
		}
		for _, s := range append(texts, a.Key) {
			if !utf8.ValidString(s) {
				t.Fatalf("%q in %s is not UTF-8", s, a.Key)
			}
			if s == aToken {
				t.Fatalf("a secret is left in %s", a.Key)
			}
		}
	}
}

func namesProtected(c Config) bool {
	for _, r := range c.Attributes {
		for _, a := range r.Actions {
			if isProtected(a.Key) {
				return true
			}
		}
	}
	return false
}

// checkProtected checks that protected attributes with the values they have in earnest are left as they were.
func checkProtected(t *testing.T, was, is []mapping.Attribute) {
	t.Helper()
	var want, got []mapping.Attribute
	for _, a := range was {
		if isProtected(a.Key) {
			want = append(want, a)
		}
	}
	for _, a := range is {
		if isProtected(a.Key) {
			got = append(got, a)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("protected attributes %v became %v", want, got)
	}
	for i := range want {
		if isPlainID(want[i].Value) && want[i].Value != aToken && !isList(want[i].Value) && got[i] != want[i] {
			t.Fatalf("protected attribute %v became %v", want[i], got[i])
		}
	}
}

func isList(v any) bool { _, is := v.([]string); return is }
