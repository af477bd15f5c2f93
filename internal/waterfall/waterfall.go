// Package waterfall draws a workflow's tree as text: a line a span with its name, a bar on the workflow's time axis,
// duration, tokens and state. Whatever is in a name, it stays in its line.
package waterfall

import (
	"encoding/hex"
	"strings"

	"cbc-otel/internal/insight"
	"cbc-otel/internal/readable"
	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

// Options say how to draw. Width is required.
type Options struct {
	Width    int  // columns; a line is never longer
	ASCII    bool // no box drawing and block characters
	Color    bool // SGR sequences, for terminals
	Insights bool // a time axis, waiting, the critical path and what they come to
	Below    bool // spans below agents, too
}

// Draw draws the tree, whose first span is the workflow's; "" for an empty one.
//
//	invoke_workflow audit · failed · 2.3s · 2 agents, 1 failed · 1,234 tokens
//	├─ Gather        ▕█████████████       ▏ 1.5s
//	│  └─ scout      ▕  ███████████       ▏ 1.2s   412 tok  done
//	└─ Verify        ▕             ███████▏ 0.8s
//	   └─ judge      ▕             ███████▏ 0.8s   822 tok  error: API Error: 500
//	trace 6dd4f5a1…
func Draw(t mapping.Tree, o Options) string {
	if len(t.Spans) == 0 {
		return ""
	}
	d := drawing{Options: o, marks: unicodeMarks, root: &t.Spans[0], children: map[mapping.SpanID][]*mapping.Span{}}
	if o.ASCII {
		d.marks = asciiMarks
	}
	if o.Insights {
		d.look(t)
	}
	d.collect(t)
	d.below(d.root, "")
	d.layout()

	var b strings.Builder
	d.line(&b, heading(d.root))
	if o.Insights {
		d.axis(&b)
	}
	for i := range d.rows {
		d.row(&b, &d.rows[i])
	}
	if o.Insights {
		d.findings(&b)
	}
	d.line(&b, plain("trace "+hex.EncodeToString(d.root.TraceID[:])))
	return b.String()
}

type marks struct{ branch, last, pass, none, left, right, full, sliver, wait, critical, arrow string }

var (
	unicodeMarks = marks{"├─ ", "└─ ", "│  ", "   ", "▕", "▏", "█", "▎", "░", "◆", " → "}
	asciiMarks   = marks{"+- ", "`- ", "|  ", "   ", "|", "|", "#", "'", ".", "*", " > "}
)

type drawing struct {
	Options
	marks
	root     *mapping.Span
	children map[mapping.SpanID][]*mapping.Span
	rows     []row
	hidden   int // spans below agents that are not drawn

	// With insights:
	workflow insight.Workflow
	phases   map[mapping.SpanID]*insight.Phase
	critical map[mapping.SpanID]bool
	names    map[mapping.SpanID]string

	nameWidth, barWidth, durationWidth, tokenWidth int
}

// row is the line of a span but for its bar.
type row struct {
	span                          *mapping.Span
	name, duration, tokens, state string
}

func (d *drawing) look(t mapping.Tree) {
	d.workflow = insight.Of(t)
	d.phases = make(map[mapping.SpanID]*insight.Phase, len(d.workflow.Phases))
	for i := range d.workflow.Phases {
		d.phases[d.workflow.Phases[i].SpanID] = &d.workflow.Phases[i]
	}
	d.critical = make(map[mapping.SpanID]bool, len(d.workflow.Critical))
	for _, id := range d.workflow.Critical {
		d.critical[id] = true
	}
	d.names = make(map[mapping.SpanID]string)
}

// collect finds the children of each span. One whose parent is not there is a child of the workflow.
func (d *drawing) collect(t mapping.Tree) {
	known := make(map[mapping.SpanID]mapping.SpanKind, len(t.Spans))
	for i := range t.Spans {
		known[t.Spans[i].SpanID] = t.Spans[i].Kind
	}
	for i := 1; i < len(t.Spans); i++ {
		s := &t.Spans[i]
		parent := s.ParentID
		if _, ok := known[parent]; !ok || parent == s.SpanID {
			parent = d.root.SpanID
		}
		if s.Kind != mapping.PhaseSpan && s.Kind != mapping.AgentSpan && !d.Below && known[parent] != mapping.WorkflowSpan {
			d.hidden++
			continue
		}
		d.children[parent] = append(d.children[parent], s)
	}
}

// below makes the rows of the spans below one. They are taken from the tree as they are, so that spans that are their
// own ancestors are drawn once at most.
func (d *drawing) below(parent *mapping.Span, indent string) {
	spans := d.children[parent.SpanID]
	delete(d.children, parent.SpanID)
	if len(indent) > maxIndent {
		d.hidden += len(spans)
		return
	}
	for i, s := range spans {
		branch, next := d.branch, d.pass
		if i == len(spans)-1 {
			branch, next = d.last, d.none
		}
		name := shortName(s)
		if d.Insights {
			d.names[s.SpanID] = name
		}
		d.rows = append(d.rows, row{
			span: s, name: indent + branch + name, duration: readable.Duration(s.End.Sub(s.Start)), tokens: tokens(s), state: d.state(s),
		})
		d.below(s, indent+next)
	}
}

// maxIndent bounds how deep a tree is drawn, in bytes.
const maxIndent = 150

// layout shares the columns out: names get a third, states what they need up to a quarter, bars the rest.
func (d *drawing) layout() {
	states := 0
	for i := range d.rows {
		r := &d.rows[i]
		d.nameWidth = max(d.nameWidth, readable.Width(r.name))
		d.durationWidth = max(d.durationWidth, len(r.duration))
		d.tokenWidth = max(d.tokenWidth, len(r.tokens))
		states = max(states, readable.Width(r.state))
	}
	if d.Width < narrow {
		d.tokenWidth = 0 // the heading has the sum
	}
	d.nameWidth = min(d.nameWidth, max(d.Width/3, minNames))
	rest := d.Width - d.nameWidth - d.durationWidth - d.gaps()
	if d.tokenWidth > 0 {
		rest -= d.tokenWidth
	}
	bar := rest - min(states, max(d.Width/4, fullStates))
	if bar < fairBar {
		bar = min(fairBar, rest-minStates)
	}
	d.barWidth = min(max(bar, minBar), maxBar)
}

// Columns.
const (
	narrow     = 72
	minNames   = 16
	minStates  = 14
	fullStates = 24
	minBar     = 8
	fairBar    = 12
	maxBar     = 72
)

// gaps are the columns between the parts of a row.
func (d *drawing) gaps() int {
	n := len(" ") + 2 + len(" ") + len("  ")
	if d.tokenWidth > 0 {
		n += len("  ")
	}
	if d.Insights {
		n++
	}
	return n
}

func (d *drawing) row(b *strings.Builder, r *row) {
	look := d.style(r.span)
	l := line{{text: readable.Pad(readable.Fit(r.name, d.nameWidth), d.nameWidth) + " ", style: look.name}}
	if d.Insights {
		mark := " "
		if d.critical[r.span.SpanID] {
			mark = d.marks.critical
		}
		l = append(l, piece{text: mark, style: bold})
	}
	l = append(l, piece{text: d.left})
	l = append(l, d.bar(r.span, look.bar)...)
	l = append(l, piece{text: d.right + " " + readable.PadLeft(r.duration, d.durationWidth) + "  "})
	if d.tokenWidth > 0 {
		l = append(l, piece{text: readable.PadLeft(r.tokens, d.tokenWidth) + "  "})
	}
	d.line(b, append(l, piece{text: r.state, style: look.state}))
}

// shortName leaves out what the place in the tree already says.
func shortName(s *mapping.Span) string {
	name := say.Clean(s.Name)
	for _, prefix := range []string{"phase ", mapping.InvokeAgent + " "} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			return rest
		}
	}
	if agent := s.Text(mapping.KeyAgentName); agent != "" {
		return say.Clean(agent)
	}
	return name
}

func tokens(s *mapping.Span) string {
	if n, ok := mapping.Tokens(s); ok {
		return readable.Thousands(n) + " tok"
	}
	return ""
}

func (d *drawing) state(s *mapping.Span) string {
	text := say.Clean(s.Text(mapping.KeyAgentState))
	if s.Status.Error {
		message := say.Clean(s.Status.Description)
		switch {
		case text == "":
			text = message
		case message != "" && message != text:
			text += ": " + message
		}
	}
	if p := d.phases[s.SpanID]; p != nil && p.Concurrency > 1 {
		use := readable.Count(int64(p.Concurrency), "slot") + " " + readable.Percent(p.Efficiency) + " busy"
		if text == "" {
			return use
		}
		return text + ", " + use
	}
	return text
}

// heading is the line of the workflow.
func heading(s *mapping.Span) line {
	parts := []string{say.Clean(s.Name)}
	status := say.Clean(s.Text(mapping.KeyWorkflowStatus))
	if status != "" {
		parts = append(parts, status)
	}
	parts = append(parts, readable.Duration(s.End.Sub(s.Start)))
	if total, ok := s.Int(mapping.PrefixWorkflowAgents + "total"); ok {
		agents := readable.Count(total, "agent")
		for _, c := range states {
			if n, _ := s.Int(mapping.PrefixWorkflowAgents + c.key); n > 0 {
				agents += ", " + readable.Thousands(n) + " " + c.word
			}
		}
		parts = append(parts, agents)
	}
	if n, ok := mapping.Tokens(s); ok {
		parts = append(parts, readable.Thousands(n)+" tokens")
	}
	if m := say.Clean(s.Status.Description); m != "" && m != status {
		parts = append(parts, m)
	}
	return line{{text: parts[0], style: bold}, {text: " · " + strings.Join(parts[1:], " · ")}}
}

// states are those worth a word, as keys end in them.
var states = []struct{ key, word string }{
	{"running", "running"}, {"queued", "queued"}, {"error", "failed"}, {"cached", "cached"}, {"cancelled", "cancelled"}, {"unfinished", "unfinished"},
}
