package check

import (
	"fmt"
	"strings"
	"time"

	"cbc-otel/mapping"
)

// plot is a kind of place a canary is planted in.
type plot struct {
	name    string
	content bool // leaves with content only
	label   bool // an agent's name: leaves unless names say type or none
	err     bool // text of an error: leaves unless errors say type
	twice   bool // in two places that have nothing to do with each other
	set     func(*script, string)
}

// script is what a planted stream says.
type script struct {
	started, launched, progress, updated, notified mapping.Event
	agent                                          mapping.Agent
	phase                                          mapping.Phase

	attribute, event, eventText, link, linkState, state string
	array                                               string
	resource                                            string
}

// plots lists every kind of place from which text can leave, each with how text gets there.
func plots() []plot {
	return []plot{
		{name: "task name", set: func(s *script, c string) { s.started.WorkflowName = c }},
		{name: "task id", set: (*script).taskID},
		{name: "tool use id", set: func(s *script, c string) { s.started.ToolUseID = c }},
		{name: "session id", set: func(s *script, c string) { s.started.SessionID = c }},
		{name: "run id", set: func(s *script, c string) { s.launched.RunID = c }},
		{name: "phase title", set: func(s *script, c string) { s.phase.Title = c }},
		{name: "phase kind", set: func(s *script, c string) { s.phase.Kind = c }},
		{name: "agent label", label: true, set: func(s *script, c string) { s.agent.Label = c }},
		{name: "agent id", set: func(s *script, c string) { s.agent.ID = c }},
		{name: "agent type", set: func(s *script, c string) { s.agent.Type = c }},
		{name: "model", set: func(s *script, c string) { s.agent.Model = c }},
		{name: "fallback model", set: func(s *script, c string) { s.agent.FallbackModel = c }},
		{name: "last tool", set: func(s *script, c string) { s.agent.LastTool = c }},
		{name: "retry reason", err: true, set: func(s *script, c string) { s.agent.RetryReason = c }},
		{name: "agent error", err: true, set: func(s *script, c string) { s.agent.Error = c }},
		{name: "workflow error", err: true, set: func(s *script, c string) { s.updated.Error = c }},
		{name: "task status", set: func(s *script, c string) { s.updated.Status = c }},

		{name: "script", content: true, set: func(s *script, c string) { s.started.Script = c }},
		{name: "description", content: true, set: func(s *script, c string) { s.started.Description = c }},
		{name: "summary", content: true, set: func(s *script, c string) { s.notified.Summary = c }},
		{name: "prompt preview", content: true, set: func(s *script, c string) { s.agent.PromptPreview = c }},
		{name: "label from the prompt", content: true, twice: true, set: func(s *script, c string) { s.agent.PromptPreview, s.agent.Label = c, c }},
		{name: "result preview", content: true, set: func(s *script, c string) { s.agent.ResultPreview = c }},
		{name: "last tool summary", content: true, set: func(s *script, c string) { s.agent.LastToolNote = c }},
		{name: "more of an agent error", content: true, err: true, set: func(s *script, c string) { s.agent.Error = "failed\n" + c }},
		{name: "more of a workflow error", content: true, err: true, set: func(s *script, c string) { s.updated.Error = "failed\n" + c }},

		{name: "attribute", set: func(s *script, c string) { s.attribute = c }},
		{name: "array", set: func(s *script, c string) { s.array = c }},
		{name: "event name", set: func(s *script, c string) { s.event = c }},
		{name: "event attribute", set: func(s *script, c string) { s.eventText = c }},
		{name: "link attribute", set: func(s *script, c string) { s.link = c }},
		{name: "link tracestate", set: func(s *script, c string) { s.linkState = c }},
		{name: "inbound tracestate", set: func(s *script, c string) { s.state = c }},
		{name: "resource attribute", set: func(s *script, c string) { s.resource = c }},
	}
}

// KeyCanary is the attribute in which a canary is planted where the mapper makes none.
const KeyCanary = "canary"

// grow makes the tree of a workflow with the canary in one place: as it is mapped with the options, and the
// resource with it.
func grow(p plot, canary string, o mapping.Options) (mapping.Tree, []mapping.Attribute) {
	s := newScript()
	p.set(s, canary)
	m := mapping.New(o)
	m.Observe(s.started)
	m.Observe(s.launched)
	s.agent.Attempt = mapping.Number{Value: 1, Valid: true}
	s.progress.Phases, s.progress.Agents = []mapping.Phase{s.phase}, []mapping.Agent{s.agent}
	m.Observe(s.progress)
	s.agent.Attempt.Value = 2 // a retry, for its event
	s.progress.Agents = []mapping.Agent{s.agent}
	m.Observe(s.progress)
	m.Observe(s.updated)
	trees := m.Observe(s.notified)
	trees = append(trees, m.Close(mapping.End{})...)
	if len(trees) == 0 {
		return mapping.Tree{}, nil
	}
	t := trees[0]
	s.decorate(&t.Spans[0])
	var resource []mapping.Attribute
	if s.resource != "" {
		resource = []mapping.Attribute{{Key: KeyCanary, Value: s.resource}}
	}
	return t, resource
}

func (s *script) taskID(id string) {
	for _, e := range []*mapping.Event{&s.started, &s.launched, &s.progress, &s.updated, &s.notified} {
		e.TaskID = id
	}
}

func newScript() *script {
	const task, session = "planted", "session"
	at := func(second int) time.Time { return time.Date(2026, 12, 1, 12, 0, second, 0, time.UTC) }
	event := func(kind mapping.EventKind, second int) mapping.Event {
		return mapping.Event{Kind: kind, Received: at(second), SessionID: session, TaskID: task}
	}
	s := &script{
		started: event(mapping.Started, 1), launched: event(mapping.Launched, 2), progress: event(mapping.Progress, 3),
		updated: event(mapping.Updated, 5), notified: event(mapping.Notified, 6),
	}
	s.started.TaskType, s.started.WorkflowName = "local_workflow", "planted"
	s.updated.Status, s.updated.EndTime = "failed", at(5)
	s.notified.Status = "failed"
	s.phase = mapping.Phase{Index: 1, Title: "phase"}
	s.agent = mapping.Agent{
		Index: 1, Label: "label", State: "error", Error: "failed", PhaseIndex: mapping.Number{Value: 1, Valid: true},
		QueuedAt: at(2), StartedAt: at(3), EndedAt: at(4), LastProgressAt: at(4),
	}
	return s
}

// decorate plants what no event brings.
func (s *script) decorate(root *mapping.Span) {
	add := func(text string, value any) {
		if text != "" {
			root.Attributes = append(root.Attributes, mapping.Attribute{Key: KeyCanary, Value: value})
		}
	}
	add(s.attribute, s.attribute)
	add(s.array, []string{"first", s.array})
	if s.event != "" || s.eventText != "" {
		e := mapping.SpanEvent{Name: "event", Time: root.Start}
		if s.event != "" {
			e.Name = s.event
		}
		if s.eventText != "" {
			e.Attributes = []mapping.Attribute{{Key: KeyCanary, Value: s.eventText}}
		}
		root.Events = append(root.Events, e)
	}
	if s.link != "" || s.linkState != "" {
		l := mapping.Link{Context: mapping.SpanContext{TraceID: mapping.TraceID{1}, SpanID: mapping.SpanID{1}}}
		if s.linkState != "" {
			l.Context.TraceState = "canary=" + s.linkState
		}
		if s.link != "" {
			l.Attributes = []mapping.Attribute{{Key: KeyCanary, Value: s.link}}
		}
		root.Links = append(root.Links, l)
	}
	if s.state != "" {
		root.Parent.TraceState = "canary=" + s.state
	}
}

// credential is a made-up secret: core is the part that must not be left. They are put together here, so
// that no scanner takes this file for a leak.
type credential struct{ kind, text, core string }

func credentials() []credential {
	random := strings.Repeat("Zk9vQ2xT", 5)
	jwt := "eyJhbGciOiJIUzI1NiJ9" + "." + "eyJzdWIiOiJjYW5hcnkifQ" + "." + random
	return []credential{
		{"GitHub token", "ghp_" + random[:36], random[:36]},
		{"provider key", "sk-ant-" + "api03-" + random, random},
		{"JWT", jwt, "eyJzdWIiOiJjYW5hcnkifQ"},
		{"Bearer value", "Authorization: Bearer " + random, random},
		{"URL with credentials", "https://canary:" + random + "@example.com/path", random},
		{"assignment", "password=" + random, random},
		{"private key", "-----BEGIN PRIVATE" + " KEY----- " + random + " -----END PRIVATE" + " KEY-----", random},
	}
}

// token is a canary that says nothing, for rules on keys.
func token(i int) string { return fmt.Sprintf("canaryplanted%03dhere", i) }
