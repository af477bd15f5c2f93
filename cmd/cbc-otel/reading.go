package main

import (
	"errors"

	"cbc-otel/config"
	"cbc-otel/exporter"
	"cbc-otel/internal/say"
	"cbc-otel/internal/statedir"
	"cbc-otel/internal/traces"
	"cbc-otel/mapping"
)

// reading is how traces are read to be shown. Recorded streams go through the rules, as when they are replayed.
func (h *host) reading(s *config.Settings) traces.Options {
	return traces.Options{
		Report:  func(p traces.Problem) { h.log.Once(p.Error(), say.Warn, "%v", p) },
		Mapping: h.mapping(s, s.Rules.Redactor().Redact),
		Filter: func(t mapping.Tree) mapping.Tree {
			s.Rules.Apply(&t)
			return t
		},
		Now: h.now,
	}
}

// store is the local store, as the exporter writes it.
func (h *host) store(s *config.Settings, o traces.Options) (*traces.Stored, error) {
	dir := exporter.Store{Dir: s.Store.Dir}.Path(h.getenv)
	if dir == "" {
		return nil, errors.New("there is no local store: " + statedir.ErrNoHome.Error())
	}
	return traces.Store(dir, o), nil
}
