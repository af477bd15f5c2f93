package waterfall

import (
	"strings"

	"cbc-otel/internal/readable"
	"cbc-otel/mapping"
)

// SGR parameters (ECMA-48), of the sixteen colours that every terminal has and its user has chosen.
const (
	none    = ""
	bold    = "1"
	dim     = "2"
	red     = "31"
	green   = "32"
	yellow  = "33"
	blue    = "34"
	magenta = "35"
	cyan    = "36"
)

// look is the style of the parts of a row.
type look struct{ name, bar, state string }

var looks = map[string]look{
	"done":       {bar: green, state: dim},
	"error":      {name: red, bar: red, state: red},
	"cached":     {bar: cyan, state: cyan},
	"cancelled":  {bar: yellow, state: yellow},
	"unfinished": {bar: magenta, state: magenta},
	"running":    {bar: blue, state: blue},
	"queued":     {name: dim, bar: dim, state: dim},
}

func (d *drawing) style(s *mapping.Span) look {
	switch {
	case s.Kind == mapping.PhaseSpan && s.Status.Error:
		return look{name: bold, state: red}
	case s.Kind == mapping.PhaseSpan:
		return look{name: bold, state: dim}
	case s.Kind == mapping.AgentSpan:
		return looks[s.Text(mapping.KeyAgentState)]
	case s.Status.Error:
		return look{name: dim, bar: red, state: red}
	}
	return look{name: dim, bar: dim, state: dim}
}

// line is a line made of pieces with a style each.
type line []piece

type piece struct{ text, style string }

func plain(text string) line { return line{{text: text}} }

// line writes a line that is no wider than there is room for.
func (d *drawing) line(b *strings.Builder, l line) {
	whole := ""
	for _, p := range l {
		whole += p.text
	}
	whole = strings.TrimRight(readable.Fit(whole, d.Width), " ")
	if !d.Color {
		b.WriteString(whole + "\n")
		return
	}
	// The pieces are those of the whole, whose cut may be in any of them.
	for _, p := range l {
		text, rest := p.text, ""
		if after, ok := strings.CutPrefix(whole, p.text); ok {
			rest = after
		} else {
			text = whole
		}
		whole = rest
		if text == "" {
			continue
		}
		if p.style == none {
			b.WriteString(text)
		} else {
			b.WriteString("\x1b[" + p.style + "m" + text + "\x1b[0m")
		}
	}
	b.WriteByte('\n')
}
