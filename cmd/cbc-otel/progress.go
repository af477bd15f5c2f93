package main

import (
	"runtime"

	"golang.org/x/term"

	"cbc-otel/config"
	"cbc-otel/internal/journal"
	"cbc-otel/internal/progress"
)

// stderrHandle is descriptor 2. (Asking os.Stderr for it would make a descriptor that others share blocking.)
const stderrHandle = 2

// stderrTerminal reports whether standard error is a terminal that pictures can be drawn on.
func (h *host) stderrTerminal() bool {
	return runtime.GOOS != "windows" && h.getenv("TERM") != "dumb" && term.IsTerminal(stderrHandle)
}

// progress begins to show how workflows get on, if the user wants to see it.
func (h *host) progress(s *config.Settings) *progress.Progress {
	mode := progress.Mode(s.Progress, h.stderrTerminal(), term.IsTerminal(stdout()))
	if mode == progress.None {
		return nil
	}
	return progress.Start(progress.Options{
		Mode:    mode,
		Log:     h.log,
		OpenEnd: journal.OpenEnd,
		Now:     h.now,
		Size: func() (columns, lines int) {
			columns, lines, err := term.GetSize(stderrHandle)
			if err != nil {
				return 0, 0
			}
			return columns, lines
		},
	})
}
