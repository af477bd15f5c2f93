package viewer

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"cbc-otel/internal/traces"
)

// maxRows bounds the list: who looks for something older names it.
const maxRows = 500

// Stored is the source of finished workflows in the local store and running ones in journals.
type Stored struct {
	Store    *traces.Stored
	Journals string // the folder of journals, "" for none
	Options  traces.Options
}

// Stamp implements [Source].
func (s *Stored) Stamp() (string, error) {
	stored, err := s.Store.Stamp()
	if err != nil || s.Journals == "" {
		return stored, err
	}
	running, err := traces.JournalStamp(s.Journals)
	return stored + "; " + running, err
}

func (s *Stored) running() ([]traces.Trace, error) {
	if s.Journals == "" {
		return nil, nil
	}
	return traces.Journals(s.Journals, s.Options)
}

// List implements [Source].
func (s *Stored) List() ([]traces.Summary, bool, error) {
	running, err := s.running()
	stored, err2 := s.Store.List(traces.Filter{Limit: maxRows + 1})
	if err == nil {
		err = err2
	}
	rows := stored
	for _, t := range running {
		rows = append(rows, t.Summary())
	}
	rows = traces.Filter{}.Cut(rows)
	if len(rows) > maxRows {
		return rows[:maxRows], true, err
	}
	return rows, false, err
}

// Open implements [Source]. What is finished counts before what a journal still holds of it.
func (s *Stored) Open(key string) (traces.Trace, error) {
	rows, err := s.Store.List(traces.Filter{Limit: maxRows + 1})
	if err != nil {
		return traces.Trace{}, err
	}
	for _, r := range rows {
		if r.Key() != key {
			continue
		}
		all, err := traces.ReadFile(r.Path, s.Options)
		if t, ok := find(all, key); ok {
			return t, nil
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return traces.Trace{}, err
		}
	}
	running, err := s.running()
	if t, ok := find(running, key); ok || err != nil {
		return t, err
	}
	if len(rows) <= maxRows {
		return traces.Trace{}, notFound(key)
	}
	older, err := s.Store.Open(key)
	if t, ok := find(older, key); ok || err != nil {
		return t, err
	}
	return traces.Trace{}, notFound(key)
}

func find(all []traces.Trace, key string) (traces.Trace, bool) {
	for _, t := range all {
		if t.Key() == key {
			return t, true
		}
	}
	return traces.Trace{}, false
}

func notFound(key string) error { return fmt.Errorf("%q: %w", key, traces.ErrNotFound) }

// Files is the source of the workflows in files, which are read again when they change.
type Files struct {
	Paths   []string
	Options traces.Options

	mu    sync.Mutex
	stamp string
	all   []traces.Trace
	err   error
}

// Stamp implements [Source].
func (f *Files) Stamp() (string, error) {
	var b strings.Builder
	for _, path := range f.Paths {
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%d %s\n", info.Size(), info.ModTime().Format(time.RFC3339Nano))
	}
	return b.String(), nil
}

// read reads all files, unless none changed. It returns what could be read even with an error.
func (f *Files) read() ([]traces.Trace, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	stamp, err := f.Stamp()
	if err != nil {
		return f.all, err
	}
	if stamp == f.stamp {
		return f.all, f.err
	}
	f.stamp, f.all, f.err = stamp, nil, nil
	for _, path := range f.Paths {
		some, err := traces.ReadFile(path, f.Options)
		f.all = append(f.all, some...)
		f.err = errors.Join(f.err, err)
	}
	return f.all, f.err
}

// List implements [Source].
func (f *Files) List() ([]traces.Summary, bool, error) {
	all, err := f.read()
	rows := make([]traces.Summary, 0, len(all))
	for _, t := range all {
		rows = append(rows, t.Summary())
	}
	if len(rows) > 0 {
		err = nil // what was read is of use
	}
	return traces.Filter{}.Cut(rows), false, err
}

// Open implements [Source].
func (f *Files) Open(key string) (traces.Trace, error) {
	all, err := f.read()
	if t, ok := find(all, key); ok {
		return t, nil
	}
	if err != nil {
		return traces.Trace{}, err
	}
	return traces.Trace{}, notFound(key)
}
