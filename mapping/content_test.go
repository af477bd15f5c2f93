package mapping

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// secretRun is a run with a canary in each place where people's or models' words can be.
func secretRun() []Event {
	begin := started(0)
	begin.Description, begin.Script = "canary description", "canary script"
	snap := snapshot(2,
		Agent{Index: 1, State: "error", Label: "canary prompt", PromptPreview: "canary prompt", Error: "oops\ncanary error", StartedAt: at(1)},
		Agent{Index: 2, State: "done", Label: "two", PromptPreview: "canary prompt", ResultPreview: "canary result", LastToolNote: "canary note", StartedAt: at(1)},
		Agent{Index: 3, State: "error", Label: "canary prompt (retry 1)", Attempt: n(2), PromptPreview: "canary  prompt", Error: "subagent aborted: x\ncanary", StartedAt: at(1)})
	snap.Summary = "canary summary"
	patch := updated(3, "failed", 3)
	patch.Error = "Error: boom\ncanary stack"
	end := notified(4, "failed")
	end.Summary = "canary end"
	return []Event{begin, snap, patch, end}
}

func TestContentIsOffByDefault(t *testing.T) {
	t.Parallel()
	tr := single(t, Options{}, secretRun()...)
	if s := fmt.Sprint(tr); strings.Contains(s, "canary") {
		t.Errorf("content in %s", s)
	}
	for _, s := range tr.Spans {
		for _, a := range s.Attributes {
			if IsContent(a.Key) {
				t.Errorf("%s: %v", a.Key, a.Value)
			}
		}
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	tr := single(t, Options{Content: true}, secretRun()...)
	wantAttrs(t, root(tr), map[string]any{
		"cbc.workflow.script": "canary script", "cbc.workflow.description": "canary description",
		"cbc.workflow.summary": "canary end", "cbc.workflow.error": "Error: boom canary stack",
	})
	wantAttrs(t, agentSpan(t, tr, 1), map[string]any{
		"gen_ai.agent.name": "canary prompt", "cbc.agent.prompt_preview": "canary prompt", "cbc.agent.error": "oops canary error",
	})
	wantStatus(t, agentSpan(t, tr, 1), "_OTHER", "oops")
	wantAttrs(t, agentSpan(t, tr, 2), map[string]any{
		"cbc.agent.result_preview": "canary result", "cbc.agent.last_tool_summary": "canary note", "cbc.agent.error": nil,
	})
	tr = single(t, Options{Content: true}, started(0), snapshot(1, errored(1, 1, 2, "one line")))
	wantAttrs(t, agentSpan(t, tr, 1), map[string]any{"cbc.agent.error": nil})
}

// With ErrorText "type" no word of any error leaves.
func TestErrorTextType(t *testing.T) {
	t.Parallel()
	for _, content := range []bool{false, true} {
		o := Options{ErrorText: "type", Content: content}
		patch := updated(3, "failed", 3)
		patch.Error = "canary boom\ncanary stack"
		http := errored(1, 1, 2, "canary API Error: 429 x\ncanary")
		http.Attempt, http.RetryReason = n(2), "canary: throttled"
		word := errored(3, 1, 2, "canary")
		word.Attempt, word.RetryReason = n(2), "stalled"
		tr := single(t, o, started(0), snapshot(2, http, errored(2, 1, 2, "subagent aborted: canary"), word), patch, notified(4, "failed"))
		if s := fmt.Sprint(tr); strings.Contains(s, "canary") {
			t.Errorf("error text in %s", s)
		}
		wantStatus(t, root(tr), "workflow_failed", "failed")
		wantStatus(t, agentSpan(t, tr, 1), "429", "429")
		wantStatus(t, agentSpan(t, tr, 2), "cancelled", "failed")
		if e := agentSpan(t, tr, 3).Events[0]; len(e.Attributes) != 2 || e.Attributes[1].Value != any("stalled") {
			t.Errorf("%+v", e)
		}
	}
}

// What Redact finds is gone wherever text leaves: whole, before any cut, and also where controls hide it.
func TestRedact(t *testing.T) {
	t.Parallel()
	secret := "sk-" + strings.Repeat("k", 40)
	o := Options{Content: true, Redact: func(s string) string { return strings.ReplaceAll(s, secret, "[hidden]") }}
	hidden := secret[:9] + "\x1b[0m" + secret[9:20] + "\x00" + secret[20:]
	atCut := func(limit int) string { return strings.Repeat("x", limit-20) + secret }

	begin := started(0)
	begin.WorkflowName, begin.TaskID, begin.SessionID, begin.ToolUseID = atCut(maxSpanName-16), secret, secret, secret
	begin.Script, begin.Description = atCut(maxContent), hidden
	patch := updated(3, "failed", 3)
	patch.Error = secret + "\n" + secret
	events := []Event{
		begin, {Kind: Launched, RunID: secret},
		{Kind: Progress, Summary: secret, Received: at(2), Phases: []Phase{{1, hidden, secret}}, Agents: []Agent{
			{Index: 1, State: "error", Label: atCut(maxSpanName - 13), ID: secret, Model: atCut(maxText), FallbackModel: secret, Type: hidden,
				PhaseIndex: n(1), PromptPreview: secret, ResultPreview: hidden, Error: hidden + "\n" + secret, LastTool: secret, LastToolNote: secret,
				RetryReason: secret, Attempt: n(2), StartedAt: at(1)},
			{Index: 2, State: "start", Label: strings.Repeat("y", 10_000) + secret, StartedAt: at(1), PhaseIndex: n(2), PhaseTitle: atCut(maxSpanName - 6)},
		}},
		patch, {Kind: Updated, Status: secret, Received: at(4)}, {Kind: Notified, Status: "failed", Received: at(4)},
	}
	for i := range events {
		events[i].TaskID = begin.TaskID
	}
	tr := single(t, o, events...)
	text := fmt.Sprint(tr.Spans)
	if strings.Contains(text, "sk-") || strings.Contains(text, "kkk") {
		t.Errorf("a secret, or half of one, in %s", text)
	}
	wantAttrs(t, root(tr), map[string]any{KeyTaskID: "[hidden]", KeyConversation: "[hidden]", KeyRunID: "[hidden]"})
	if name := agentSpan(t, tr, 1).Name; !strings.HasSuffix(name, "[hidden]") {
		t.Errorf("name %q", name)
	}
	// Ids are made of what was sent, and redaction does not change them.
	if plain := run(Options{}, events...); plain[0].Spans[1].SpanID != tr.Spans[1].SpanID {
		t.Error("redaction changed an id")
	}
}

// A replacement of Redact's own is checked as well.
func TestRedactMakesNothingWorse(t *testing.T) {
	t.Parallel()
	o := Options{Redact: func(string) string { return "\x1b[31m\xff" + strings.Repeat("r", 5000) }}
	single(t, o, started(0), snapshot(2, errored(1, 1, 2, "x")), notified(4, "failed"))
}

func TestIsContent(t *testing.T) {
	t.Parallel()
	var with []string
	for _, s := range single(t, Options{Content: true}, secretRun()...).Spans {
		for _, a := range s.Attributes {
			with = append(with, a.Key)
		}
	}
	for _, s := range single(t, Options{}, secretRun()...).Spans {
		for _, a := range s.Attributes {
			with = slices.DeleteFunc(with, func(key string) bool { return key == a.Key })
		}
	}
	for _, key := range with {
		if !IsContent(key) {
			t.Errorf("%s comes with content only, but is none", key)
		}
	}
	if len(with) == 0 {
		t.Error("no attribute comes with content")
	}
}
