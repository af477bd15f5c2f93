// Package summary writes what people see of a run on the page of their CI job: Markdown with each workflow's
// status, phases, slowest agents and failures.
//
// Names and errors come from the command's output. They are text here, whatever they hold: see [Escape].
package summary

import (
	"encoding/hex"
	"strings"
	"time"

	"cbc-otel/internal/insight"
	"cbc-otel/mapping"
)

// Bounds keep a summary readable, and below the 1 MiB that GitHub takes of a step.
const (
	maxWorkflows = 20
	maxPhases    = 30
	maxSlowest   = 5
	maxPath      = 8
	maxFailures  = 20
	maxText      = 200     // runes
	maxBytes     = 1 << 19 // then no further workflow
)

// TraceID stands for the trace id, in hexadecimal digits, in the template of a link.
const TraceID = "{trace_id}"

// Link fills in the template; "" without one.
func Link(template string, id mapping.TraceID) string {
	return strings.ReplaceAll(template, TraceID, hex.EncodeToString(id[:]))
}

// Summary collects workflows. It keeps only what it will write. Its zero value is empty.
type Summary struct {
	workflows []workflow
	more      int // workflows beyond the limit
}

type workflow struct {
	name, status, description string
	failed                    bool
	duration                  time.Duration
	counts                    counts
	tokens                    int64
	hasTokens                 bool
	trace                     mapping.TraceID
	insight                   insight.Workflow
	path                      []string // names of the agents on the critical path, as many as are shown

	phases     []phase
	morePhases int
	slowest    []agent // the slowest first
	failures   []agent
	moreFailed int
}

type phase struct {
	name      string
	failed    bool
	duration  time.Duration
	counts    counts
	tokens    int64
	hasTokens bool
}

type agent struct {
	name, phase, state, error string
	failed                    bool
	duration                  time.Duration
	tokens                    int64
	hasTokens                 bool
}

// counts are agents by state, as far as the rules left them.
type counts struct{ total, failed, cached, cancelled, unfinished int64 }

// Add takes in a tree after the rules. Nothing is left of an empty one.
func (s *Summary) Add(t mapping.Tree) {
	if len(t.Spans) == 0 {
		return
	}
	if len(s.workflows) == maxWorkflows {
		s.more++
		return
	}
	var w workflow
	phases := map[mapping.SpanID]string{}
	for i := range t.Spans {
		span := &t.Spans[i]
		switch span.Kind {
		case mapping.WorkflowSpan:
			w.root(span)
		case mapping.PhaseSpan:
			p := newPhase(span)
			phases[span.SpanID] = p.name
			if len(w.phases) < maxPhases {
				w.phases = append(w.phases, p)
			} else {
				w.morePhases++
			}
		case mapping.AgentSpan:
			w.agent(newAgent(span, phases[span.ParentID]))
		}
	}
	w.look(t)
	s.workflows = append(s.workflows, w)
}

func (w *workflow) root(s *mapping.Span) {
	w.name, w.trace, w.duration = name(s, mapping.InvokeWorkflow), s.TraceID, s.End.Sub(s.Start)
	w.status, w.failed, w.description = s.Text(mapping.KeyWorkflowStatus), s.Status.Error, s.Status.Description
	w.counts = count(s, mapping.PrefixWorkflowAgents)
	w.tokens, w.hasTokens = mapping.Tokens(s)
}

// look finds out what the time went into.
func (w *workflow) look(t mapping.Tree) {
	w.insight = insight.Of(t)
	names := make(map[mapping.SpanID]string, maxPath)
	for _, id := range w.insight.Critical[:min(len(w.insight.Critical), maxPath)] {
		names[id] = ""
	}
	for i := range t.Spans {
		if _, shown := names[t.Spans[i].SpanID]; shown {
			names[t.Spans[i].SpanID] = name(&t.Spans[i], mapping.InvokeAgent)
		}
	}
	for _, id := range w.insight.Critical[:len(names)] {
		w.path = append(w.path, names[id])
	}
}

func newPhase(s *mapping.Span) phase {
	p := phase{name: name(s, "phase"), failed: s.Status.Error, duration: s.End.Sub(s.Start), counts: count(s, mapping.PrefixPhaseAgents)}
	p.tokens, p.hasTokens = mapping.Tokens(s)
	return p
}

func newAgent(s *mapping.Span, phase string) agent {
	a := agent{
		name: name(s, mapping.InvokeAgent), phase: phase, state: s.Text(mapping.KeyAgentState),
		failed: s.Status.Error, error: s.Status.Description, duration: s.End.Sub(s.Start),
	}
	if a.failed && a.error == "" {
		a.error = s.Text(mapping.KeyErrorType)
	}
	a.tokens, a.hasTokens = mapping.Tokens(s)
	return a
}

// agent keeps those that are worth a line.
func (w *workflow) agent(a agent) {
	if a.failed {
		if len(w.failures) < maxFailures {
			w.failures = append(w.failures, a)
		} else {
			w.moreFailed++
		}
	}
	at := len(w.slowest)
	for at > 0 && w.slowest[at-1].duration < a.duration {
		at--
	}
	if at == maxSlowest {
		return
	}
	w.slowest = append(w.slowest, agent{})
	copy(w.slowest[at+1:], w.slowest[at:])
	w.slowest[at] = a
	w.slowest = w.slowest[:min(len(w.slowest), maxSlowest)]
}

// name is that of a span without the word its kind starts with.
func name(s *mapping.Span, prefix string) string {
	if rest, ok := strings.CutPrefix(s.Name, prefix+" "); ok && rest != "" {
		return rest
	}
	for _, key := range []string{mapping.KeyAgentName, mapping.KeyPhaseTitle} {
		if n := s.Text(key); n != "" {
			return n
		}
	}
	return s.Name
}

func count(s *mapping.Span, prefix string) (c counts) {
	for key, n := range map[string]*int64{"total": &c.total, "error": &c.failed, "cached": &c.cached, "cancelled": &c.cancelled, "unfinished": &c.unfinished} {
		*n, _ = s.Int(prefix + key)
	}
	return c
}
