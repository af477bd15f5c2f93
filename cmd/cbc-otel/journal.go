package main

import (
	"encoding/hex"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/internal/journal"
	"cbc-otel/internal/say"
	"cbc-otel/internal/statedir"
	"cbc-otel/mapping"
)

// journalEvery is how often news of an open workflow is journaled, at most: what a kill can cost.
const journalEvery = 100 * time.Millisecond

// journaled keeps the crash journal of a run. A nil one keeps none. Trouble with it is one warning and never
// stops the run.
type journaled struct {
	telemetry *telemetry
	log       *say.Logger
	dir       string

	mu sync.Mutex // exporters report from goroutines of their own
	w  *journal.Writer
}

// journal returns the journal of a run whose spans go somewhere a later run can send them to.
func (h *host) journal(t *telemetry) *journaled {
	if runtime.GOOS == "windows" || len(t.pipeline.Exporters()) == 0 {
		return nil // a locked file cannot be read there
	}
	dir := journalDir(h.getenv)
	if dir == "" {
		return nil
	}
	return &journaled{telemetry: t, log: h.log, dir: dir}
}

// journalDir is the folder of all journals, "" where the environment names no home.
func journalDir(getenv func(string) string) string {
	base, err := statedir.Base(getenv)
	if err != nil || base == "" {
		return ""
	}
	return filepath.Join(base, "journal")
}

// start makes the file.
func (j *journaled) start() {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, _, err := statedir.Make(filepath.Dir(j.dir), filepath.Base(j.dir)); err != nil {
		j.fail(err)
		return
	}
	header := journal.Header{
		Program:     version,
		Destination: j.telemetry.pipeline.Destination(),
		Rules:       j.telemetry.settings.Filter.Fingerprint(),
		Resource:    journal.Attributes(j.telemetry.pipeline.Resource()),
	}
	var err error
	if j.w, err = journal.Create(j.dir, header, journal.DefaultMaxBytes); err != nil {
		j.fail(err)
	}
}

// changed appends what is new of an open workflow, as it would be exported.
func (j *journaled) changed(t mapping.Tree, at time.Time) {
	if j != nil && len(t.Spans) > 0 {
		j.append(at, t)
	}
}

// settled appends a finished tree, before it is exported.
func (j *journaled) settled(t mapping.Tree) {
	if j == nil || len(t.Spans) == 0 {
		return
	}
	j.append(t.Spans[0].End, t)
}

func (j *journaled) append(at time.Time, t mapping.Tree) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.w == nil {
		return
	}
	if err := j.w.Append(at, t); err != nil {
		j.fail(err)
		j.w = nil
	}
}

// exported marks a tree of which nothing was lost that another try might save.
func (j *journaled) exported(r exporter.TreeResult) {
	if j == nil || r.Lost > 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.w == nil {
		return
	}
	if err := j.w.Exported(hex.EncodeToString(r.TraceID[:]) + hex.EncodeToString(r.RootID[:])); err != nil {
		j.fail(err)
	}
}

func (j *journaled) fail(err error) {
	j.log.Once("journal", say.Warn, "no crash journal for this run: %v", err)
}

// holds reports whether trees are kept until they are marked.
func (j *journaled) holds() bool {
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.w != nil
}

// close removes the file if every tree in it has its place now; else the next run sees to it.
func (j *journaled) close() {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.w == nil {
		return
	}
	if err := j.w.Close(); err != nil {
		j.fail(err)
	}
	j.w = nil
}
