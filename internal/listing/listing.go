// Package listing writes a table of workflows for a terminal.
package listing

import (
	"encoding/hex"
	"strings"
	"time"

	"cbc-otel/internal/readable"
	"cbc-otel/internal/say"
	"cbc-otel/internal/traces"
)

// Options say how to write.
type Options struct {
	Width    int  // columns, 0 for as many as are needed
	Color    bool // SGR sequences, for terminals
	Location *time.Location
}

// column is one of the table. Those on the right are numbers.
type column struct {
	title string
	right bool
	text  func(traces.Summary, Options) string
}

var columns = []column{
	{"TRACE", false, func(s traces.Summary, _ Options) string { return hex.EncodeToString(s.Trace[:])[:idDigits] }},
	{"WHEN", false, func(s traces.Summary, o Options) string { return s.Start.In(o.Location).Format("2006-01-02 15:04") }},
	{"COMMAND", false, func(s traces.Summary, _ Options) string { return say.Clean(s.Command) }},
	{"WORKFLOW", false, func(s traces.Summary, _ Options) string { return say.Clean(s.Workflow) }},
	{"STATUS", false, func(s traces.Summary, _ Options) string { return say.Clean(s.Status) }},
	{"TIME", true, func(s traces.Summary, _ Options) string { return readable.Duration(s.Duration) }},
	{"AGENTS", true, func(s traces.Summary, _ Options) string { return readable.Thousands(s.Agents) }},
	{"FAILED", true, func(s traces.Summary, _ Options) string {
		if s.Failed == 0 {
			return ""
		}
		return readable.Thousands(s.Failed)
	}},
	{"TOKENS", true, func(s traces.Summary, _ Options) string {
		if !s.Known {
			return ""
		}
		return readable.Thousands(s.Tokens)
	}},
}

// Places of columns that are treated apart, and bounds of texts.
const (
	when, command, workflow, status, failed, tokens = 1, 2, 3, 4, 7, 8

	idDigits = 8  // of a trace id: enough to tell thousands apart, and show says if it is not
	minText  = 12 // columns of a text that has to give way
	gap      = 2
)

// Table writes a line for each workflow, below a line of titles; "" without any.
func Table(rows []traces.Summary, o Options) string {
	if len(rows) == 0 {
		return ""
	}
	if o.Location == nil {
		o.Location = time.UTC
	}
	cells := make([][]string, 0, len(rows)+1)
	titles := make([]string, len(columns))
	widths := make([]int, len(columns))
	for i, c := range columns {
		titles[i] = c.title
	}
	cells = append(cells, titles)
	for _, row := range rows {
		line := make([]string, len(columns))
		for i, c := range columns {
			line[i] = c.text(row, o)
		}
		cells = append(cells, line)
	}
	for _, line := range cells {
		for i, text := range line {
			widths[i] = max(widths[i], readable.Width(text))
		}
	}
	narrow(widths, o.Width)
	var b strings.Builder
	for i, line := range cells {
		b.WriteString(format(line, widths, o, i > 0))
	}
	return b.String()
}

// narrow takes what is too much from the workflow's name and the command, then leaves columns out: their width is 0.
func narrow(widths []int, limit int) {
	total := -gap
	for _, w := range widths {
		total += w + gap
	}
	for _, i := range [...]int{workflow, command} {
		if limit > 0 && total > limit {
			less := min(total-limit, max(widths[i]-minText, 0))
			widths[i] -= less
			total -= less
		}
	}
	for _, i := range [...]int{command, tokens, when} {
		if limit > 0 && total > limit {
			total -= widths[i] + gap
			widths[i] = 0
		}
	}
	if room := limit - total; limit > 0 && room > 0 && widths[workflow] == minText {
		widths[workflow] += room // what a column left out has left over
	}
}

func format(line []string, widths []int, o Options, body bool) string {
	plain := ""
	starts := make([]int, len(line)) // of each cell, in bytes of plain
	for i, text := range line {
		if widths[i] == 0 {
			starts[i] = -1
			continue
		}
		text = readable.Fit(text, widths[i])
		if columns[i].right {
			text = readable.PadLeft(text, widths[i])
		} else {
			text = readable.Pad(text, widths[i])
		}
		if plain != "" {
			plain += strings.Repeat(" ", gap)
		}
		starts[i] = len(plain)
		plain += text
	}
	cut := plain
	if o.Width > 0 {
		cut = readable.Fit(plain, o.Width)
	}
	cut = strings.TrimRight(cut, " ")
	if o.Color {
		cut = colored(cut, plain, line, starts, body)
	}
	return cut + "\n"
}

// colored colours the status and failures of a line, as far as they are in it, and makes titles dim.
func colored(cut, plain string, line []string, starts []int, body bool) string {
	if !body {
		return "\x1b[2m" + cut + "\x1b[0m"
	}
	for _, i := range [...]int{failed, status} { // from the right, so that the places stay right
		style := colors[line[status]]
		if i == failed {
			style = "31"
		}
		end := len(plain)
		for _, next := range starts[i+1:] {
			if next > 0 {
				end = next - gap
				break
			}
		}
		if starts[i] >= 0 && style != "" && strings.TrimSpace(plain[starts[i]:end]) != "" && strings.HasPrefix(cut, plain[:end]) {
			cut = cut[:starts[i]] + "\x1b[" + style + "m" + cut[starts[i]:end] + "\x1b[0m" + cut[end:]
		}
	}
	return cut
}

// colors are SGR parameters by status.
var colors = map[string]string{"completed": "32", "failed": "31", "stopped": "33", "interrupted": "33", "running": "34"}
