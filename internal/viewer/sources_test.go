package viewer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/internal/journal"
	"cbc-otel/internal/traces"
	"cbc-otel/mapping"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func export(t *testing.T, o exporter.Options, tree mapping.Tree) {
	t.Helper()
	o.Exporters, o.Getenv = []string{"file"}, func(string) string { return "" }
	p, err := exporter.Open(o)
	must(t, err)
	p.Export(tree)
	if report := p.Flush(context.Background()); report.Lost() > 0 {
		t.Fatalf("%+v", report)
	}
}

// A workflow appears while it runs, and stays when it is over and moves from the journal to the store.
func TestFromJournalToStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	journals := filepath.Join(dir, "journal")
	must(t, os.Mkdir(journals, 0o700))
	s := &Stored{Store: traces.Store(filepath.Join(dir, "traces"), traces.Options{}), Journals: journals}
	look := func(live bool) string {
		t.Helper()
		stamp, err := s.Stamp()
		must(t, err)
		rows, more, err := s.List()
		must(t, err)
		if len(rows) != 1 || rows[0].Live != live || more {
			t.Fatalf("%+v", rows)
		}
		got, err := s.Open(rows[0].Key())
		must(t, err)
		if got.Live != live || got.Key() != rows[0].Key() {
			t.Fatalf("%+v", got)
		}
		return stamp
	}
	tree := workflow("x").Tree
	tree.Spans[0].End = journal.OpenEnd
	w, err := journal.Create(journals, journal.Header{}, journal.DefaultMaxBytes)
	must(t, err)
	must(t, w.Append(journal.Changed(at, tree)))
	running := look(true)
	tree.Spans[0].End = at.Add(time.Second)
	export(t, exporter.Options{Store: exporter.Store{Dir: filepath.Join(dir, "traces")}}, tree)
	both := look(false)
	must(t, w.Exported(journal.Key(tree)))
	must(t, w.Close())
	if over := look(false); running == both || both == over {
		t.Errorf("stamps %q, %q, %q", running, both, over)
	}
	if _, err := s.Open("0102/03"); !errors.Is(err, traces.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.jsonl")
	f := &Files{Paths: []string{path}}
	if _, _, err := f.List(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	export(t, exporter.Options{File: path}, workflow("x").Tree)
	before, err := f.Stamp()
	must(t, err)
	other := workflow("y").Tree
	other.Spans[0].SpanID = mapping.SpanID{3}
	export(t, exporter.Options{File: path}, other)
	after, err := f.Stamp()
	must(t, err)
	rows, _, err := f.List()
	must(t, err)
	if before == after || len(rows) != 2 {
		t.Errorf("%q %q %+v", before, after, rows)
	}
	if got, err := f.Open(rows[1].Key()); err != nil || got.Key() != rows[1].Key() {
		t.Errorf("%+v %v", got, err)
	}
	must(t, os.Remove(path))
	if got, err := f.Open(rows[0].Key()); err != nil || got.Key() != rows[0].Key() {
		t.Errorf("what was read is lost with the file: %v", err)
	}
	if _, err := f.Open("nothing"); err == nil {
		t.Error("found nothing")
	}
}
