package main

import (
	"golang.org/x/term"
)

// screen is what standard output can show.
type screen struct {
	width int // columns
	color bool
	term  bool // a terminal
}

// screen looks at standard output. COLUMNS goes before what the terminal says; without both there is no limit, which
// is a width of 0. Colours are for terminals, unless NO_COLOR (https://no-color.org) or TERM says otherwise.
func (h *host) screen() screen {
	s := screen{width: h.columns(), term: term.IsTerminal(stdout())}
	if s.term {
		if width, _, err := term.GetSize(stdout()); err == nil && s.width <= 0 {
			s.width = width
		}
		s.color = h.getenv("NO_COLOR") == "" && h.getenv("TERM") != "dumb"
	}
	s.width = max(s.width, 0)
	return s
}
