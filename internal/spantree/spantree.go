// Package spantree writes span trees as text that a person can read and a test can compare.
//
// A span is a line with its kind and name, then a line for each thing it holds; its children follow, indented:
//
//	workflow "invoke_workflow audit"
//	    id      6dd4…/5f1c… parent none
//	    start   2026-12-01T21:26:16.346Z +0ms
//	    end     2026-12-01T21:26:18.665Z +2319ms
//	    status  error "stopped"
//	    cbc.task.id = "w1"
//	    event "cbc.status" 2026-12-01T21:26:18.665Z +2319ms
//	        status = "killed"
//	    link    2f1e…/77aa… sampled
//	    phase "phase Gather"
//	        …
//
// Offsets count from the start of the tree's first span. Attributes are sorted by key; strings are quoted as in
// Go, so that nothing in them can be mistaken for the format or be invisible.
package spantree

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"cbc-otel/mapping"
)

const indent = "    "

// Options says how to write trees. The zero value writes everything.
type Options struct {
	// Masked reports whether a time is to be written as "received", for times that differ from run to run
	// because they come from when bytes were read. Nil masks none.
	Masked func(time.Time) bool
}

// Write writes the trees one after the other, with an empty line between two.
func (o Options) Write(w io.Writer, trees ...mapping.Tree) error {
	var b strings.Builder
	for i, t := range trees {
		if i > 0 {
			b.WriteByte('\n')
		}
		o.tree(&b, t)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// String returns what Write writes.
func (o Options) String(trees ...mapping.Tree) string {
	var b strings.Builder
	_ = o.Write(&b, trees...) // a strings.Builder takes all
	return b.String()
}

// tree writes the spans in the order of the tree; how deep a span is written follows from its parent, so that a
// span under the wrong parent, or under none, shows.
func (o Options) tree(b *strings.Builder, t mapping.Tree) {
	depths := make(map[mapping.SpanID]int, len(t.Spans))
	for _, s := range t.Spans {
		depth := 0
		if d, ok := depths[s.ParentID]; ok {
			depth = d + 1
		}
		depths[s.SpanID] = depth
		o.span(b, strings.Repeat(indent, depth), s, t.Spans[0].Start)
	}
}

func (o Options) span(b *strings.Builder, in string, s mapping.Span, origin time.Time) {
	fmt.Fprintf(b, "%s%s %q\n", in, s.Kind, s.Name)
	in += indent
	fmt.Fprintf(b, "%sid      %x/%x parent %s\n", in, s.TraceID, s.SpanID, parent(s))
	fmt.Fprintf(b, "%sstart   %s\n", in, o.time(s.Start, origin))
	fmt.Fprintf(b, "%send     %s\n", in, o.time(s.End, origin))
	fmt.Fprintf(b, "%sstatus  %s\n", in, status(s.Status))
	attributes(b, in, s.Attributes)
	for _, e := range s.Events {
		fmt.Fprintf(b, "%sevent %q %s\n", in, e.Name, o.time(e.Time, origin))
		attributes(b, in+indent, e.Attributes)
	}
	for _, l := range s.Links {
		fmt.Fprintf(b, "%slink    %s\n", in, spanContext(l.Context))
		attributes(b, in+indent, l.Attributes)
	}
}

// parent is the id of the parent span, with what else is known of one outside the tree.
func parent(s mapping.Span) string {
	switch {
	case !s.Parent.SpanID.IsZero():
		return fmt.Sprintf("%x (inbound %s)", s.ParentID, spanContext(s.Parent))
	case s.ParentID.IsZero():
		return "none"
	default:
		return fmt.Sprintf("%x", s.ParentID)
	}
}

func spanContext(c mapping.SpanContext) string {
	text := fmt.Sprintf("%x/%x", c.TraceID, c.SpanID)
	if c.Sampled {
		text += " sampled"
	}
	if c.TraceState != "" {
		text += " " + strconv.Quote(c.TraceState)
	}
	return text
}

func status(s mapping.Status) string {
	if !s.Error && s.Description == "" {
		return "unset"
	}
	if !s.Error {
		return "unset " + strconv.Quote(s.Description) // must not happen: only errors have one
	}
	return "error " + strconv.Quote(s.Description)
}

func (o Options) time(t, origin time.Time) string {
	if o.Masked != nil && o.Masked(t) {
		return "received"
	}
	if t.IsZero() {
		return "none"
	}
	layout := "2006-01-02T15:04:05.000Z"
	if t.Nanosecond()%int(time.Millisecond) != 0 {
		layout = "2006-01-02T15:04:05.000000000Z"
	}
	text := t.UTC().Format(layout)
	if o.Masked != nil && o.Masked(origin) {
		return text
	}
	offset := strconv.FormatFloat(float64(t.Sub(origin))/float64(time.Millisecond), 'f', -1, 64)
	if offset[0] != '-' {
		offset = "+" + offset
	}
	return text + " " + offset + "ms"
}

func attributes(b *strings.Builder, in string, all []mapping.Attribute) {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(x, y mapping.Attribute) int { return strings.Compare(x.Key, y.Key) })
	for _, a := range sorted {
		fmt.Fprintf(b, "%s%s = %s\n", in, a.Key, value(a.Value))
	}
}

// value writes a value so that its type shows: "1" is a string, 1 an integer, 1.0 a double.
func value(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	case float64:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(text, ".eIN") {
			text += ".0"
		}
		return text
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = strconv.Quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	default:
		return fmt.Sprintf("%#v of type %T, which no attribute may have", v, v)
	}
}
