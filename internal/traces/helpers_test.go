package traces_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cbc-otel/exporter"
	"cbc-otel/internal/replay"
	"cbc-otel/internal/testdata"
	"cbc-otel/internal/traces"
	"cbc-otel/mapping"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var modified = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

// workflows maps a recorded stream.
func workflows(t *testing.T, capture string) []mapping.Tree {
	t.Helper()
	c, err := testdata.Find(capture)
	must(t, err)
	in, err := c.Open()
	must(t, err)
	defer in.Close()
	var trees []mapping.Tree
	_, err = replay.Run(in, replay.Options{Mapping: mapping.Options{Origin: modified}, OnTree: func(t mapping.Tree) { trees = append(trees, t) }})
	must(t, err)
	return trees
}

// export writes trees with the exporter file: to a file, or to the store if the name is "".
func export(t *testing.T, file, store string, maxSpans int, trees ...mapping.Tree) {
	t.Helper()
	p, err := exporter.Open(exporter.Options{
		Exporters: []string{"file"}, File: file, Store: exporter.Store{Dir: store}, MaxSpans: maxSpans, ServiceName: "claude",
		Getenv: func(string) string { return "" },
	})
	must(t, err)
	for _, tree := range trees {
		p.Export(tree)
	}
	if report := p.Flush(context.Background()); report.Lost() > 0 {
		t.Fatalf("%+v", report)
	}
}

// reading collects the problems that are reported.
func reading() (traces.Options, *[]string) {
	var told []string
	return traces.Options{Report: func(p traces.Problem) { told = append(told, filepath.Base(p.Error())) }}, &told
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.jsonl")
	must(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
	return path
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// plain takes out what a file of spans does not hold.
func plain(t mapping.Tree) mapping.Tree {
	t.Spans = slices.Clone(t.Spans)
	t.Spans[0].Parent = mapping.SpanContext{}
	return t
}
