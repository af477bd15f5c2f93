package exporter

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"golang.org/x/text/width"

	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

// waterfall draws a tree, a line a span: name, a bar on the workflow's time axis, duration, tokens, state and, for
// an error, its description.
//
//	invoke_workflow audit · failed · 2.3s · 2 agents, 1 failed · 1,234 tokens
//	├─ Gather        ▕█████████████       ▏ 1.5s
//	│  └─ scout      ▕  ███████████       ▏ 1.2s   412 tok  done
//	└─ Verify        ▕             ███████▏ 0.8s
//	   └─ judge      ▕             ███████▏ 0.8s   822 tok  error: API Error: 500
//	trace 6dd4f5a1…
func waterfall(spans []*tracepb.Span, columns int, ascii bool) string {
	if len(spans) == 0 {
		return ""
	}
	w := drawing{marks: unicodeMarks, start: spans[0].GetStartTimeUnixNano(), end: spans[0].GetEndTimeUnixNano()}
	if ascii {
		w.marks = asciiMarks
	}
	children := make(map[string][]*tracepb.Span)
	known := make(map[string]bool, len(spans))
	for _, s := range spans {
		known[string(s.GetSpanId())] = true
	}
	var roots []*tracepb.Span
	for _, s := range spans {
		if parent := string(s.GetParentSpanId()); known[parent] && parent != string(s.GetSpanId()) {
			children[parent] = append(children[parent], s)
		} else {
			roots = append(roots, s)
		}
	}
	for _, root := range roots {
		w.rows = append(w.rows, row{text: heading(root)})
		w.tree(children, root, "")
	}
	w.rows = append(w.rows, row{text: "trace " + hex.EncodeToString(spans[0].GetTraceId())})
	return w.String(columns)
}

type marks struct{ branch, last, pass, none, left, right, full, dot string }

var (
	unicodeMarks = marks{"├─ ", "└─ ", "│  ", "   ", "▕", "▏", "█", "▎"}
	asciiMarks   = marks{"+- ", "`- ", "|  ", "   ", "|", "|", "#", "'"}
)

// row is a line: a text alone, or the cells of a span.
type row struct {
	text     string
	span     *tracepb.Span
	name     string
	duration string
	tokens   string
	state    string
}

type drawing struct {
	marks
	start, end uint64
	rows       []row
}

func (w *drawing) tree(children map[string][]*tracepb.Span, parent *tracepb.Span, indent string) {
	below := children[string(parent.GetSpanId())]
	for i, s := range below {
		branch, next := w.branch, w.pass
		if i == len(below)-1 {
			branch, next = w.last, w.none
		}
		w.rows = append(w.rows, row{
			span: s, name: indent + branch + shortName(s), duration: shortDuration(s), tokens: tokens(s, " tok"), state: state(s),
		})
		w.tree(children, s, indent+next)
	}
}

func (w *drawing) String(columns int) string {
	var names, durations, tokens int
	for _, r := range w.rows {
		names, durations, tokens = max(names, displayWidth(r.name)), max(durations, len(r.duration)), max(tokens, len(r.tokens))
	}
	names = min(names, max(columns*2/5, 16))
	bar := min(max(columns-names-durations-tokens-30, 8), 40)
	var b strings.Builder
	for _, r := range w.rows {
		if r.span == nil {
			b.WriteString(fit(r.text, columns) + "\n")
			continue
		}
		line := fmt.Sprintf("%s %s%s%s %*s  %*s  %s", pad(fit(r.name, names), names), w.left, w.bar(r.span, bar), w.right,
			durations, r.duration, tokens, r.tokens, r.state)
		b.WriteString(strings.TrimRight(fit(line, columns), " ") + "\n")
	}
	return b.String()
}

// bar marks a span's part of the workflow's time in n columns, at least a sliver.
func (w *drawing) bar(s *tracepb.Span, n int) string {
	total := float64(w.end - w.start)
	if w.end <= w.start {
		return strings.Repeat(" ", n)
	}
	at := func(t uint64) int {
		if t <= w.start {
			return 0
		}
		return min(int(float64(t-w.start)/total*float64(n)+0.5), n)
	}
	from, to := at(s.GetStartTimeUnixNano()), at(s.GetEndTimeUnixNano())
	mark := strings.Repeat(w.full, to-from)
	if to <= from {
		from = min(from, n-1)
		to, mark = from+1, w.dot
	}
	return strings.Repeat(" ", from) + mark + strings.Repeat(" ", n-to)
}

func heading(s *tracepb.Span) string {
	parts := []string{say.Clean(s.GetName())}
	if status := attr(s, mapping.KeyWorkflowStatus); status != "" {
		parts = append(parts, status)
	}
	parts = append(parts, shortDuration(s))
	if total := attr(s, mapping.PrefixWorkflowAgents+"total"); total != "" {
		agents := total + " agents"
		if total == "1" {
			agents = "1 agent"
		}
		for _, c := range []struct{ key, word string }{{"error", "failed"}, {"cached", "cached"}, {"cancelled", "cancelled"}, {"unfinished", "unfinished"}} {
			if n := attr(s, mapping.PrefixWorkflowAgents+c.key); n != "" && n != "0" {
				agents += ", " + n + " " + c.word
			}
		}
		parts = append(parts, agents)
	}
	if t := attr(s, mapping.KeyUsageTokens); t != "" {
		parts = append(parts, thousands(t)+" tokens")
	}
	if m := s.GetStatus().GetMessage(); m != "" {
		parts = append(parts, say.Clean(m))
	}
	return strings.Join(parts, " · ")
}

// shortName leaves out what the place in the tree already says.
func shortName(s *tracepb.Span) string {
	name := say.Clean(s.GetName())
	for _, prefix := range []string{"phase ", mapping.InvokeAgent + " "} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			return rest
		}
	}
	if agent := attr(s, mapping.KeyAgentName); agent != "" {
		return agent
	}
	return name
}

func state(s *tracepb.Span) string {
	text := attr(s, mapping.KeyAgentState)
	if s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
		if text == "" {
			return say.Clean(s.GetStatus().GetMessage())
		}
		if m := s.GetStatus().GetMessage(); m != "" {
			text += ": " + say.Clean(m)
		}
	}
	return text
}

func tokens(s *tracepb.Span, unit string) string {
	for _, key := range []string{mapping.KeyAgentTokens, mapping.KeyPhaseTokens} {
		if n := attr(s, key); n != "" {
			return thousands(n) + unit
		}
	}
	return ""
}

// shortDuration is rounded to what one can tell apart: 0.12s, 4.2s, 3m05s.
func shortDuration(s *tracepb.Span) string {
	d := time.Duration(s.GetEndTimeUnixNano() - s.GetStartTimeUnixNano())
	switch {
	case d < 0:
		return "?"
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

func attr(s *tracepb.Span, key string) string {
	for _, kv := range s.GetAttributes() {
		if kv.GetKey() != key {
			continue
		}
		switch v := kv.GetValue().GetValue().(type) {
		case *commonpb.AnyValue_StringValue:
			return say.Clean(v.StringValue)
		case *commonpb.AnyValue_IntValue:
			return strconv.FormatInt(v.IntValue, 10)
		}
	}
	return ""
}

// thousands puts commas into a whole number.
func thousands(n string) string {
	digits := strings.TrimPrefix(n, "-")
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return n[:len(n)-len(digits)] + b.String()
}

// displayWidth is the number of columns a terminal gives to a text without control characters.
func displayWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// fit cuts a text to n columns; a cut is marked with "…".
func fit(s string, n int) string {
	if displayWidth(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		used += runeWidth(r)
		if used > n-1 {
			return s[:i] + "…"
		}
	}
	return s
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(n-displayWidth(s), 0)) }
