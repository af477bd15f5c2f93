package main

import (
	"encoding/hex"
	"errors"
	"fmt"
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
	header := journal.Header{
		Program:     version,
		Destination: j.telemetry.pipeline.Destination(),
		Rules:       j.telemetry.settings.Filter.Fingerprint(),
		Resource:    journal.Attributes(j.telemetry.pipeline.Resource()),
	}
	made := make(chan *journal.Writer, 1)
	err := patiently(func() error {
		if _, _, err := statedir.Make(filepath.Dir(j.dir), filepath.Base(j.dir)); err != nil {
			return err
		}
		w, err := journal.Create(j.dir, header, journal.DefaultMaxBytes)
		made <- w
		return err
	})
	if err != nil {
		j.fail(err)
		return
	}
	j.w = <-made
}

// journalPatience is how long a write is waited for. One takes well under a millisecond on a disk that works, but on a
// machine that is very busy it may be seconds before it has its turn.
const journalPatience = 10 * time.Second

var errNoAnswer = errors.New("the disk does not answer")

// patiently does something with the disk, in the background if it takes too long: a disk that hangs must not hold the
// run.
func patiently(do func() error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Errorf("%v", r)
			}
		}()
		done <- do()
	}()
	timer := time.NewTimer(journalPatience)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return errNoAnswer
	}
}

// put appends what is new of trees, as they would be exported: what the rules made of them. Of one they drop nothing is
// kept, nor what was journaled of it before they did.
func (j *journaled) put(changes ...journal.Change) {
	if len(changes) > 0 {
		j.write(func(w *journal.Writer) error { return w.Append(changes...) })
	}
}

// settledChange is the change of a finished tree with this key, of which the rules left filtered.
func settledChange(key string, filtered mapping.Tree) journal.Change {
	c := journal.Change{Key: key, Tree: filtered}
	if len(filtered.Spans) > 0 {
		c.At = filtered.Spans[0].End
	}
	return c
}

// exported marks a tree of which nothing was lost that another try might save, and one that only some exporters lost.
func (j *journaled) exported(r exporter.TreeResult) {
	if j == nil {
		return
	}
	key := resultKey(r)
	switch {
	case r.Lost == 0:
		j.write(func(w *journal.Writer) error { return w.Exported(key) })
	case len(r.LostIn) < len(j.telemetry.pipeline.Exporters()):
		j.write(func(w *journal.Writer) error { return w.Lost(key, r.LostIn) })
	}
}

// resultKey is the key of a result's tree.
func resultKey(r exporter.TreeResult) string {
	return hex.EncodeToString(r.TraceID[:]) + hex.EncodeToString(r.RootID[:])
}

// write writes to the journal, which is given up when that fails: without what came later it would tell of workflows as
// interrupted that have ended.
func (j *journaled) write(do func(*journal.Writer) error) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.w == nil {
		return
	}
	w := j.w
	if err := patiently(func() error { return do(w) }); err != nil {
		j.fail(err)
		j.w = nil
		if !errors.Is(err, errNoAnswer) { // else it is still at it
			w.Discard()
		}
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
	if err := patiently(j.w.Close); err != nil {
		j.fail(err)
	}
	j.w = nil
}
