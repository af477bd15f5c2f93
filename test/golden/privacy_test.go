package golden

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"cbc-otel/internal/spantree"
	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

// contentKeys are the attributes that exist only when content was asked for.
var contentKeys = []string{
	"cbc.workflow.script", "cbc.workflow.description", "cbc.workflow.summary",
	"cbc.agent.prompt_preview", "cbc.agent.result_preview", "cbc.agent.last_tool_summary",
	"cbc.workflow.error", "cbc.agent.error", // whole, where there is more than the first line
}

func withContent(on bool) mapping.Options {
	o := golden{}.options()
	o.Content = on
	return o
}

// The content of a stream is in its spans only when asked for; and then nothing else changes but the texts that
// are part metadata, part content. Account data, which stands in the first control_response, is never there.
func TestContentOnlyOnRequest(t *testing.T) {
	t.Parallel()
	planted, seen := 0, make(map[string]bool)
	for _, name := range streams(t) {
		stream := read(t, name)
		without, _ := replayed(t, stream, withContent(false))
		with, _ := replayed(t, stream, withContent(true))
		text := spantree.Options{}.String(without...) + spantree.Options{}.String(with...)
		for _, canary := range testdata.Canaries {
			if bytes.Contains(stream, []byte(canary)) {
				planted++
			}
			if strings.Contains(text, canary) {
				t.Errorf("%s: %q is in the spans", name, canary)
			}
		}
		for i := range without {
			for j, s := range without[i].Spans {
				for _, key := range contentKeys {
					if attribute(s, key) != nil {
						t.Errorf("%s: %s has %s", name, s.Name, key)
					}
					seen[key] = seen[key] || attribute(with[i].Spans[j], key) != nil
				}
			}
			blur(without[i])
			blur(with[i])
		}
		if got, want := (spantree.Options{}).String(with...), (spantree.Options{}).String(without...); got != want {
			t.Errorf("%s: content changes more than it should: got\n%s\nwant\n%s", name, got, want)
		}
	}
	if planted < 60 {
		t.Errorf("only %d canaries are in the streams: this test shows nothing", planted)
	}
	for _, key := range contentKeys {
		if !seen[key] {
			t.Errorf("%s is never there", key)
		}
	}
}

// blur removes from a tree what content may add or change: its own attributes, names of agents (a label may be cut
// from the prompt), and the texts of errors (of which only the first line is metadata).
func blur(tree mapping.Tree) {
	for i := range tree.Spans {
		s := &tree.Spans[i]
		if s.Kind == mapping.AgentSpan {
			s.Name = ""
		}
		s.Status.Description = ""
		var kept []mapping.Attribute
		for _, a := range s.Attributes {
			drop := a.Key == "gen_ai.agent.name"
			for _, key := range contentKeys {
				drop = drop || a.Key == key
			}
			if !drop {
				kept = append(kept, a)
			}
		}
		s.Attributes = kept
	}
}

// The stream claude-content says of each text in it which of the two it is.
func TestEachTextIsContentOrMetadata(t *testing.T) {
	t.Parallel()
	content := []string{
		"content-script", "content-description", "content-prompt", "content-summary at last", "content-tool-summary",
		"content-result", "content-error-rest", "content-failure-rest",
	}
	metadata := []string{
		"metadata-name", "metadata-title", "metadata-label", "metadata-reason", "metadata-tool", "metadata-error", "metadata-failure",
	}
	stream := read(t, "claude-content")
	for _, on := range []bool{false, true} {
		trees, _ := replayed(t, stream, withContent(on))
		text := spantree.Options{}.String(trees...)
		for _, c := range content {
			if strings.Contains(text, c) != on {
				t.Errorf("content %t, and yet %q: %t", on, c, !on)
			}
		}
		if !on && strings.Contains(text, "content") {
			t.Errorf("content is off, and yet some is there:\n%s", text)
		}
		for _, m := range metadata {
			if !strings.Contains(text, m) {
				t.Errorf("content %t: %q is missing", on, m)
			}
		}
	}
}

// What Options.Redact takes out of one text it takes out of all texts that leave, whole, wherever a text is cut and
// whatever invisible characters were put in between.
func TestRedactionReachesEveryText(t *testing.T) {
	t.Parallel()
	const secret, mark = "s3cr3t", "[redacted]"
	o := withContent(true)
	o.Redact = func(s string) string { return strings.ReplaceAll(s, secret, mark) }
	for _, name := range streams(t) {
		trees, _ := replayed(t, plantAll(read(t, name), " s3\u001b[1mcr\u202e3t"), o)
		text := spantree.Options{}.String(trees...)
		if strings.Contains(text, "s3cr") {
			t.Errorf("%s: a secret is left:\n%s", name, text)
		}
		if len(trees) > 0 && !strings.Contains(text, mark) {
			t.Errorf("%s: no text had the secret", name)
		}
	}
	for _, room := range []int{128 - len("invoke_agent "), 1024} { // in the span's name, in the attribute
		label := strings.Repeat("x", room-3) + secret
		stream := bytes.ReplaceAll(read(t, "claude-content"), []byte("metadata-label"), []byte(label))
		trees, _ := replayed(t, stream, o)
		if text := (spantree.Options{}).String(trees...); strings.Contains(text, "xs3") {
			t.Errorf("a secret was cut after %d runes and is half left:\n%s", room, text)
		}
	}
}

// plantAll appends a text to all strings of a stream's lines but those that say what a line or entry is.
func plantAll(stream []byte, text string) []byte {
	var out []byte
	for line := range bytes.SplitSeq(stream, []byte("\n")) {
		var m map[string]any
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		planted, err := json.Marshal(plant("", m, text))
		if err != nil {
			panic(err) // it was JSON before
		}
		out = append(append(out, planted...), '\n')
	}
	return out
}

func plant(key string, v any, text string) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plant(k, v[k], text)
		}
	case []any:
		for i := range v {
			v[i] = plant(key, v[i], text)
		}
	case string:
		switch key {
		case "type", "subtype", "task_type", "status", "state", "endedWithRun", "kind", "__timestamp":
			return v
		}
		return v + text
	}
	return v
}
