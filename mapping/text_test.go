package mapping

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSanitise(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                        "",
		"plain":                   "plain",
		"工作流 🎉 👩‍👩‍👧 é":           "工作流 🎉 👩‍👩‍👧 é",
		"a\x00b\x07c\x7fd":        "abcd",
		"a\u0080b\u009ac":         "abc",
		"a\tb":                    "a\tb",
		"a\r\nb\rc\vd\fe\u0085f":  "a\nb\nc\nd\ne\nf",
		"bad \xff\xfe bytes":      "bad \uFFFD\uFFFD bytes",
		"cut \xf0\x9f\x8e":        "cut \uFFFD\uFFFD\uFFFD",
		"\u202ertl\u202c \u2067x": "rtl x",
		"marks \u200e\u200f stay": "marks \u200e\u200f stay",

		"\x1b[31mred\x1b[0m":                         "red",
		"\x1b[38;5;196;1mx":                          "x",
		"\u009b31mred":                               "red",
		"\x1b]0;title\abody":                         "body",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\":   "link",
		"\u009d0;title\u009cbody":                    "body",
		"\x1bPq#0;data\x1b\\x":                       "x",
		"\x1b(Bx\x1b7y\x1bcz":                        "xyz",
		"lone \x1b":                                  "lone ",
		"open \x1b[31":                               "open ",
		"open \x1b]0;never ended":                    "open 0;never ended",
		"twice \x1b\x1b[31mx":                        "twice x",
		"in bytes \xc2\x9b1mx":                       "in bytes x",
		"not one \x1b\nx":                            "not one \nx",
		"\x1b[3@x\x1b[3~y\u009b1@z":                  "xyz",
		"\x1b@x\x1b_apc\x1b\\y\u009fapc\u009cz":      "xyz",
		"\u0090q\a1\u0098q\a2\u009eq\a3\u0091x":      "123x",
		"\x1b Fx\x1b/0y\x1b~z":                       "xyz",
		"open \x1b(":                                 "open (",
		"\u202a\u202b\u202d\u2066\u2068\u2069\u2065": "\u2065",
	} {
		if got := sanitise(in); got != want {
			t.Errorf("sanitise(%q) = %q, want %q", in, got, want)
		}
	}
}

// Text made to be slow to clean takes no more than its length. (If this hangs, it does not.)
func TestSanitiseIsLinear(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"\x1b]", "\x1b[", "\x1b", "\u009d", "\x1b ", "\x1b[1"} {
		if got := sanitise(strings.Repeat(s, 1<<20/len(s))); strings.ContainsRune(got, escape) {
			t.Errorf("%q repeated: an escape is left", s)
		}
	}
}

func TestCollapse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a b":                   "a b",
		"":                      "",
		" \n ":                  "",
		"  a \t\n b  ":          "a b",
		"a\u00a0b\u2028c\u3000": "a b c",
		"\uFEFFa":               "a",
		"a\nb":                  "a b",
		"a b ":                  "a b",
	} {
		if got := collapse(in); got != want {
			t.Errorf("collapse(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"🎉🎉🎉🎉", 2, "🎉…"}, {"", 3, ""}, {"ab", 1, "…"},
	} {
		if got := cut(test.in, test.n); got != test.want {
			t.Errorf("cut(%q, %d) = %q, want %q", test.in, test.n, got, test.want)
		}
	}
}

func TestFirstLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":               "",
		"one":            "one",
		"one\ntwo":       "one+",
		"\n\n one \r\nx": "one+",
		"one\n\n":        "one",
		"one\u2028two":   "one+",
		"one\rtwo":       "one+",
	} {
		line, more := firstLine(in)
		if more {
			line += "+"
		}
		if line != want {
			t.Errorf("firstLine(%q) = %q, want %q", in, line, want)
		}
	}
}

func TestOwnLabel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		label   string
		attempt number
		want    string
	}{
		{"x (retry 1)", 2, "x"},
		{"x (retry 12)", 13, "x"},
		{"x (throttle-retry)", 2, "x"},
		{"x (retry 1)", 1, "x (retry 1)"},
		{"x (retry 1)", absent, "x (retry 1)"},
		{"x (throttle-retry)", 1, "x (throttle-retry)"},
		{"x (retry 1) (retry 1)", 2, "x (retry 1)"},
		{"x (retry)", 2, "x (retry)"},
		{"x (retry )", 2, "x (retry )"},
		{"x (retry one)", 2, "x (retry one)"},
		{"x (retry 1) y", 2, "x (retry 1) y"},
		{" (retry 1)", 2, ""},
		{"x", 2, "x"},
		{"", 2, ""},
	} {
		if got := ownLabel(test.label, test.attempt); got != test.want {
			t.Errorf("ownLabel(%q, %d) = %q, want %q", test.label, test.attempt, got, test.want)
		}
	}
}

func TestPromptLabel(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 8)
	emoji := strings.Repeat("x", 59) + "🎉 and more"
	for name, test := range map[string]struct {
		label, prompt string
		want          bool
	}{
		"the whole of a short prompt": {"fine", "fine", true},
		"the first 60":                {long[:60], long, true},
		"59":                          {long[:59], long, false},
		"61":                          {long[:61], long, false},
		"a chosen prefix":             {"same", "same prompt", false},
		"white space":                 {"multi line prompt without label, which is longer than sixty", "multi\nline\n\tprompt without label, which is longer than sixty characters", true},
		"white space cut first":       {strings.Repeat("x ", 10) + "y", strings.Repeat("x  ", 10) + strings.Repeat(" ", 29) + "y and", true},
		"leading white space":         {"a b", strings.Repeat(" \n", 500) + "a   b", true},
		"ends in a space":             {strings.Repeat("x", 59), strings.Repeat("x", 59) + " y", true},
		"half of a pair":              {strings.Repeat("x", 59) + "\uFFFD", emoji, true},
		"a pair counts twice":         {strings.Repeat("🎉", 30), strings.Repeat("🎉", 40), true},
		"no label":                    {"", "x", false},
		"no prompt":                   {"x", "", false},
		"neither":                     {"", "", false},
	} {
		if got := isPromptLabel(test.label, test.prompt); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"", 3, ""}, {"äöüß", 3, "äöü"}, {"ä", 3, "ä"},
		{"a🎉b", 3, "a🎉"}, {"a🎉b", 2, "a\uFFFD"}, {"🎉🎉", 3, "🎉\uFFFD"}, {"abc", 0, ""},
	} {
		if got := units(test.in, test.n); got != test.want {
			t.Errorf("units(%q, %d) = %q, want %q", test.in, test.n, got, test.want)
		}
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	labelled := func(label, prompt string) Agent {
		return Agent{Index: 4, State: "done", Label: label, PromptPreview: prompt, Type: "Explore", StartedAt: at(1)}
	}
	retried := func(a Agent) Agent {
		a.Attempt = n(2)
		return a
	}
	long := strings.Repeat("l", 3000)
	for name, test := range map[string]struct {
		options    Options
		agents     []Agent
		span, name string
	}{
		"chosen":                     {Options{}, []Agent{labelled("gather", "do it")}, "invoke_agent gather", "gather"},
		"empty":                      {Options{}, []Agent{labelled("", "do it")}, "invoke_agent", "agent-4"},
		"nothing left":               {Options{}, []Agent{labelled("\x1b[0m \n", "do it")}, "invoke_agent", "agent-4"},
		"the prompt's":               {Options{}, []Agent{labelled("do it", "do it")}, "invoke_agent", "agent-4"},
		"the prompt's, with content": {Options{Content: true}, []Agent{labelled("do it", "do it")}, "invoke_agent do it", "do it"},
		"the prompt's, retried":      {Options{}, []Agent{retried(labelled("do it (retry 1)", "do it"))}, "invoke_agent", "agent-4"},
		"retried":                    {Options{}, []Agent{retried(labelled("gather (throttle-retry)", "do it"))}, "invoke_agent gather", "gather"},
		"once the prompt's":          {Options{}, []Agent{labelled("do it", "do it"), labelled("do it", "")}, "invoke_agent", "agent-4"},
		"no longer the prompt's":     {Options{}, []Agent{labelled("do it", "do it"), labelled("gather", "")}, "invoke_agent gather", "gather"},
		"white space and controls":   {Options{}, []Agent{labelled(" a\n\tb\x1b[31m  c\u202e ", "")}, "invoke_agent a b c", "a b c"},
		"long":                       {Options{}, []Agent{labelled(long, "")}, "invoke_agent " + long[:114] + "…", long[:1023] + "…"},
		"types":                      {Options{AgentNames: "type"}, []Agent{labelled("gather", "")}, "invoke_agent Explore", "Explore"},
		"no type":                    {Options{AgentNames: "type"}, []Agent{{Index: 4, State: "done", Label: "gather"}}, "invoke_agent", "agent-4"},
		"none":                       {Options{AgentNames: "none", Content: true}, []Agent{labelled("gather", "")}, "invoke_agent", "agent-4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := []Event{started(0)}
			for _, a := range test.agents {
				events = append(events, snapshot(2, a))
			}
			s := agentSpan(t, single(t, test.options, events...), 4)
			if s.Name != test.span || attr(s, KeyAgentName) != any(test.name) {
				t.Errorf("%q, %q; want %q, %q", s.Name, attr(s, KeyAgentName), test.span, test.name)
			}
		})
	}
}

// Every text, however it came, leaves clean and cut, the ones of content longer.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	bad := func(s string) string {
		return s + "\x00\x1b[31m\xff\u202e\u0085\n \U0001F389" + strings.Repeat("ä", 40_000)
	}
	o := Options{Content: true}
	begin := started(0)
	begin.TaskID, begin.ToolUseID, begin.WorkflowName, begin.SessionID = "t1\x1b[1m\n", bad("tool"), bad("wf"), bad("session")
	begin.Description, begin.Script = bad("description"), bad("script")
	events := []Event{
		begin, {Kind: Launched, RunID: bad("run")},
		{Kind: Progress, Received: at(2), Summary: bad("summary"), Phases: []Phase{{1, bad("title"), bad("child")}}, Agents: []Agent{{
			Index: 1, ID: bad("id"), Label: bad("label"), State: "error", PhaseIndex: n(1), PhaseTitle: bad("title"),
			Model: bad("model"), FallbackModel: bad("fallback"), Type: bad("type"), PromptPreview: bad("prompt"), ResultPreview: bad("result"),
			Error: bad("error"), LastTool: bad("tool"), LastToolNote: bad("note"), RetryReason: bad("reason"), Attempt: n(2),
		}}},
		{Kind: Updated, Received: at(3), Status: "failed", Error: bad("error")},
		{Kind: Updated, Received: at(3), Status: bad("status")},
		{Kind: Notified, Received: at(3), Status: "failed", Summary: bad("end")},
	}
	for i := range events {
		events[i].TaskID = begin.TaskID
	}
	tr := single(t, o, events...) // checks all values
	if len(tr.Spans) != 3 {
		t.Fatalf("%d spans", len(tr.Spans))
	}
	wantAttrs(t, root(tr), map[string]any{KeyTaskID: "t1"})
	for _, key := range []string{KeyScript, KeyDescription, KeySummary, KeyWorkflowText} {
		if s, _ := attr(root(tr), key).(string); utf8.RuneCountInString(s) != maxContent || !strings.HasSuffix(s, "…") {
			t.Errorf("%s has %d runes", key, utf8.RuneCountInString(s))
		}
	}
	for _, key := range []string{KeyPrompt, KeyResult, KeyLastToolNote, KeyAgentText} {
		if s, _ := attr(tr.Spans[2], key).(string); utf8.RuneCountInString(s) != maxContent || !strings.HasSuffix(s, "…") {
			t.Errorf("%s has %d runes", key, utf8.RuneCountInString(s))
		}
	}
	if s, _ := attr(tr.Spans[2], KeyModel).(string); utf8.RuneCountInString(s) != maxText || !strings.HasPrefix(s, "model\uFFFD 🎉ä") {
		t.Errorf("model %.40q", s)
	}
}
