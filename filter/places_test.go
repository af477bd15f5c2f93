package filter

import (
	"testing"

	"cbc-otel/mapping"
)

const aToken = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"

// everywhere is a span with a text in each place from which text can leave.
func everywhere(text string) mapping.Tree {
	list := func() []mapping.Attribute {
		return attrs("text", text, "list", []string{"x", text}, "n", int64(1))
	}
	return mapping.Tree{Spans: []mapping.Span{{
		Kind: mapping.WorkflowSpan, SpanID: id(1), Name: "invoke_workflow " + text, Attributes: list(),
		Parent: mapping.SpanContext{TraceState: "a=1,b=" + text},
		Events: []mapping.SpanEvent{{Name: "event " + text, Attributes: list()}},
		Links:  []mapping.Link{{Context: mapping.SpanContext{TraceState: "c=" + text}, Attributes: list()}},
		Status: mapping.Status{Error: true, Description: "failed: " + text},
	}}}
}

func TestEveryPlace(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config Config
		text   string
	}{
		"built-in secrets": {Config{}, aToken},
		"blocked values":   {Config{Redaction: Redaction{BlockedValues: []string{"bad.word"}}}, "bad-word"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := compile(t, tt.config)
			tree := everywhere(tt.text)
			was := everywhere(tt.text)
			given := mapping.Tree{Spans: append([]mapping.Span(nil), tree.Spans...)}
			r.Apply(&tree)
			want := everywhere("****")
			want.Spans[0].Parent.TraceState = "a=1" // a member with a mask would not be well-formed
			want.Spans[0].Links[0].Context.TraceState = ""
			same(t, "tree", tree, want)
			same(t, "the tree that was given, which others may hold", given, was)

			list := everywhere(tt.text).Spans[0].Attributes
			kept, _ := r.ApplyResource(list)
			same(t, "resource", kept, want.Spans[0].Attributes)
			same(t, "the resource that was given", list, was.Spans[0].Attributes)
		})
	}
}

func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	r := compile(t, Config{Redaction: Redaction{BlockedValues: []string{"z"}}})
	tree := everywhere("a\xffb")
	tree.Spans[0].Attributes = append(tree.Spans[0].Attributes, mapping.Attribute{Key: "k\xc3", Value: "v"})
	r.Apply(&tree)
	want := everywhere("a\uFFFDb")
	want.Spans[0].Parent.TraceState = "a=1"
	want.Spans[0].Links[0].Context.TraceState = ""
	want.Spans[0].Attributes = append(want.Spans[0].Attributes, mapping.Attribute{Key: "k\uFFFD", Value: "v"})
	same(t, "tree", tree, want)
}

// delete and hash reach every place; the actions that set something act on the span alone.
func TestActionsByPlace(t *testing.T) {
	t.Parallel()
	r := compile(t, one(
		Action{Action: "delete", Pattern: "^list$"},
		Action{Action: "hash", Key: "text"},
		Action{Action: "upsert", Key: "n", Value: "new"},
		Action{Action: "insert", Key: "m", Value: "new"},
		Action{Action: "delete", Key: StatusMessage},
	))
	tree := everywhere("foo")
	h := r.Apply(&tree)
	hash := hashed("foo")
	s := tree.Spans[0]
	same(t, "span", s.Attributes, attrs("text", hash, "n", "new", "m", "new"))
	same(t, "event", s.Events[0].Attributes, attrs("text", hash, "n", int64(1)))
	same(t, "link", s.Links[0].Attributes, attrs("text", hash, "n", int64(1)))
	same(t, "status", s.Status, mapping.Status{Error: true})
	same(t, "hits", count(t, h, "attributes[0]"), 9)
	kept, _ := r.ApplyResource(everywhere("foo").Spans[0].Attributes)
	same(t, "resource", kept, attrs("text", hash, "n", int64(1)))
}

// A resource belongs to all spans, so a rule for some of them leaves it alone.
func TestResourceAndConditions(t *testing.T) {
	t.Parallel()
	r := compile(t, Config{Attributes: []AttributeRule{{
		Include: &Match{MatchType: "strict", Spans: []string{"agent"}},
		Actions: []Action{{Action: "delete", Key: "text"}},
	}}})
	list := attrs("text", "x")
	kept, h := r.ApplyResource(list)
	same(t, "resource", kept, list)
	same(t, "never matched", h.Never(), []string{"attributes[0]", "redaction.secrets"})
}

func TestStatusMessage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rules Redaction
		want  string
	}{
		"not on the list":    {Redaction{AllowedKeys: []string{"a"}}, ""},
		"on the list":        {Redaction{AllowedKeys: []string{"a", StatusMessage}}, "failed: why"},
		"ignored":            {Redaction{IgnoredKeys: []string{StatusMessage}, BlockedValues: []string{"why"}}, "failed: why"},
		"blocked by pattern": {Redaction{BlockedKeyPatterns: []string{"^status"}}, "****"},
		"allowed value":      {Redaction{BlockedValues: []string{"why"}, AllowedValues: []string{"^failed"}}, "failed: why"},
	} {
		tree := everywhere("why")
		compile(t, Config{Redaction: tt.rules}).Apply(&tree)
		same(t, name, tree.Spans[0].Status, mapping.Status{Error: true, Description: tt.want})
	}
}

func TestSummaryNamesWhatIsNoAttribute(t *testing.T) {
	t.Parallel()
	tree := everywhere("bad")
	compile(t, Config{Redaction: Redaction{BlockedValues: []string{"bad"}, Summary: "debug"}}).Apply(&tree)
	s := tree.Spans[0]
	same(t, "span", s.Attributes, attrs("text", "****", "list", []string{"x", "****"}, "n", int64(1),
		"redaction.masked.keys", "list,span.name,status.message,text", "redaction.masked.count", int64(4)))
	same(t, "event", s.Events[0].Attributes, attrs("text", "****", "list", []string{"x", "****"}, "n", int64(1),
		"redaction.masked.keys", "list,text", "redaction.masked.count", int64(2)))
}

// A name that repeats an attribute goes where the attribute goes.
func TestNameFollowsAttribute(t *testing.T) {
	t.Parallel()
	long := ""
	for range 200 {
		long += "ä"
	}
	span := func(kind mapping.SpanKind, name, key, value string) mapping.Tree {
		return mapping.Tree{Spans: []mapping.Span{{Kind: kind, SpanID: id(1), Name: name, Attributes: attrs(key, value)}}}
	}
	label := span(mapping.AgentSpan, "invoke_agent alpha", mapping.KeyAgentName, "alpha")
	for name, tt := range map[string]struct {
		config Config
		tree   mapping.Tree
		want   string
	}{
		"deleted":          {one(Action{Action: "delete", Key: mapping.KeyAgentName}), label, "invoke_agent"},
		"not allowed":      {Config{Redaction: Redaction{AllowedKeys: []string{"x"}}}, label, "invoke_agent"},
		"hashed":           {one(Action{Action: "hash", Key: mapping.KeyAgentName}), label, "invoke_agent " + hashed("alpha")},
		"masked":           {Config{Redaction: Redaction{BlockedKeyPatterns: []string{"name$"}}}, label, "invoke_agent ****"},
		"partly masked":    {Config{Redaction: Redaction{BlockedValues: []string{"^alp"}}}, label, "invoke_agent ****ha"},
		"ignored":          {Config{Redaction: Redaction{BlockedValues: []string{"alpha"}, IgnoredKeys: []string{mapping.KeyAgentName}}}, label, "invoke_agent alpha"},
		"set":              {one(Action{Action: "update", Key: mapping.KeyAgentName, Value: "agent"}), label, "invoke_agent agent"},
		"left alone":       {one(Action{Action: "delete", Key: "other"}), label, "invoke_agent alpha"},
		"no part of it":    {one(Action{Action: "delete", Key: mapping.KeyAgentName}), span(mapping.AgentSpan, "invoke_agent", mapping.KeyAgentName, "agent-1"), "invoke_agent"},
		"of a phase":       {one(Action{Action: "delete", Key: mapping.KeyPhaseTitle}), span(mapping.PhaseSpan, "phase a b", mapping.KeyPhaseTitle, "a b"), "phase"},
		"of a workflow":    {one(Action{Action: "delete", Key: mapping.KeyWorkflowName}), span(mapping.WorkflowSpan, "invoke_workflow w", mapping.KeyWorkflowName, "w"), "invoke_workflow"},
		"of a session":     {one(Action{Action: "delete", Key: mapping.KeyExecutable}), span(mapping.SessionSpan, "secret name", mapping.KeyExecutable, "secret name"), "session"},
		"session, hashed":  {one(Action{Action: "hash", Key: mapping.KeyExecutable}), span(mapping.SessionSpan, "secret name", mapping.KeyExecutable, "secret name"), hashed("secret name")},
		"session, kept":    {one(Action{Action: "delete", Key: "other"}), span(mapping.SessionSpan, "claude", mapping.KeyExecutable, "claude"), "claude"},
		"cut, and deleted": {one(Action{Action: "delete", Key: mapping.KeyPhaseTitle}), span(mapping.PhaseSpan, cut("phase "+long, maxName), mapping.KeyPhaseTitle, long), "phase"},
		"cut again":        {one(Action{Action: "update", Key: mapping.KeyPhaseTitle, Value: "b" + long}), span(mapping.PhaseSpan, cut("phase "+long, maxName), mapping.KeyPhaseTitle, long), cut("phase b"+long, maxName)},
	} {
		tree := mapping.Tree{Spans: append([]mapping.Span(nil), tt.tree.Spans...)}
		compile(t, tt.config).Apply(&tree)
		same(t, name, tree.Spans[0].Name, tt.want)
	}
}
