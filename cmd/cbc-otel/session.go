package main

import (
	"crypto/rand"
	"path/filepath"
	"time"

	"cbc-otel/internal/journal"
	"cbc-otel/internal/process"
	"cbc-otel/internal/session"
	"cbc-otel/mapping"
)

// sessionSpan is the span of the command. A nil one is none.
type sessionSpan struct {
	*session.Session
	telemetry *telemetry
}

// sessionSpan returns the span of a command, if the user wants one and it would go somewhere: those below it must
// not lack their parent.
func (h *host) sessionSpan(t *telemetry, executable string, o mapping.Options) (*sessionSpan, error) {
	if !t.settings.SessionSpan || len(t.pipeline.Exporters()) == 0 {
		return nil, nil
	}
	s, err := session.New(session.Options{
		Executable: mapping.NewCleaner(t.redactor.Redact).Name(filepath.Base(executable)),
		Start:      h.now(),
		Parent:     o.Parent,
		Mode:       o.ParentMode,
		Random:     rand.Reader,
		Sampled:    t.pipeline.Sampled,
	})
	if err != nil {
		return nil, err
	}
	return &sessionSpan{s, t}, nil
}

// adopt puts workflows below the span.
func (s *sessionSpan) adopt(o *mapping.Options) {
	if s != nil {
		o.ParentMode, o.Parent = "child", s.Context()
	}
}

func (s *sessionSpan) environ(env []string) []string {
	if s == nil {
		return env
	}
	return s.Environ(env)
}

func (s *sessionSpan) cover(t mapping.Tree) {
	if s != nil {
		s.Cover(t)
	}
}

// open journals the span of a command that may not live to see its end.
func (s *sessionSpan) open(j *journaled, at time.Time) {
	if s == nil || j == nil {
		return
	}
	tree := s.Open(journal.OpenEnd)
	key := journal.Key(tree)
	s.telemetry.rules.Apply(&tree)
	j.put(journal.Change{Key: key, At: at, Tree: tree})
}

// close exports the span and returns how many it made.
func (s *sessionSpan) close(w *wrapped, exit process.Exit, signal string) int {
	if s == nil {
		return 0
	}
	tree := s.Close(session.End{PID: exit.PID, Code: exit.Code, Signal: signal, At: exit.At})
	key := journal.Key(tree)
	tree = w.telemetry.filter(tree)
	w.journal.put(settledChange(key, tree))
	w.telemetry.pipeline.Export(tree)
	return 1
}
