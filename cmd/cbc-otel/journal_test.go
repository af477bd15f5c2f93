package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"cbc-otel/internal/journal"
	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

// A disk that hangs is waited for once, and not for long.
func TestJournalHangs(t *testing.T) {
	t.Parallel()
	w, err := journal.Create(t.TempDir(), journal.Header{}, journal.DefaultMaxBytes)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	j := &journaled{log: say.New(&stderr, say.Warn), w: w}
	release := make(chan struct{})
	over := make(chan struct{})
	j.write(func(*journal.Writer) error {
		defer close(over)
		<-release
		return nil
	})
	j.write(func(*journal.Writer) error { panic("the journal is still written to") })
	close(release)
	<-over
	w.Discard()
	if got := stderr.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "no crash journal for this run: the disk does not answer") {
		t.Errorf("said %q", got)
	}
}

// A journal that cannot be written to the end tells of workflows as interrupted that have ended: it is given up.
func TestJournalGivenUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := journal.Create(dir, journal.Header{}, journal.DefaultMaxBytes)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	j := &journaled{log: say.New(&stderr, say.Warn), dir: dir, w: w}
	tree := mapping.Tree{Spans: []mapping.Span{{Kind: mapping.WorkflowSpan, TraceID: mapping.TraceID{1}, SpanID: mapping.SpanID{1}}}}
	j.put(journal.Changed(time.Now(), tree))
	if !j.holds() {
		t.Fatal("the journal does not hold the tree")
	}
	j.write(func(*journal.Writer) error { return errors.New("no space left on device") })
	j.put(journal.Changed(time.Now(), tree))
	j.close()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 || j.holds() {
		t.Errorf("left %v, %v; holds %v", left, err, j.holds())
	}
	if got := stderr.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "no crash journal for this run: no space left on device") {
		t.Errorf("said %q", got)
	}
}
