package main

import (
	"slices"
	"sync"

	"cbc-otel/config"
	"cbc-otel/internal/say"
	"cbc-otel/internal/summary"
	"cbc-otel/mapping"
)

// maxLinks bounds the links to traces that are said at the end of a run.
const maxLinks = 20

// shown collects what people are shown at the end of a run: the summary, and links to the traces.
type shown struct {
	mu      sync.Mutex
	summary summary.Summary
	traces  []mapping.TraceID // without duplicates
	more    int
}

// add takes in a tree after the rules.
func (s *shown) add(t mapping.Tree) {
	if len(t.Spans) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.summary.Add(t)
	switch id := t.Spans[0].TraceID; {
	case slices.Contains(s.traces, id):
	case len(s.traces) == maxLinks:
		s.more++
	default:
		s.traces = append(s.traces, id)
	}
}

// show writes and says it. Nothing of it is a reason to fail.
func (h *host) show(s *shown, c *config.Settings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.traces) == 0 {
		return
	}
	if c.TraceLink != "" && len(c.Exporters) > 0 {
		for _, id := range s.traces {
			h.log.Print("trace: " + summary.Link(c.TraceLink, id))
		}
		if s.more > 0 {
			h.log.Infof("%d more traces", s.more)
		}
	}
	if c.Summary == "" {
		return
	}
	path := summary.Path(c.Summary, h.getenv)
	if path == "" {
		h.log.Logf(say.Info, "no summary: GITHUB_STEP_SUMMARY names no file")
		return
	}
	if h.isStdout(path) {
		h.log.Errorf("summary: %s is standard output", path)
		return
	}
	if err := summary.Append(path, s.summary.Markdown(c.TraceLink)); err != nil {
		h.log.Errorf("%v", err)
	}
}
