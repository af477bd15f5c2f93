package main

import (
	"context"
	"testing"

	"cbc-otel/exporter"
	"cbc-otel/mapping"
)

// exportTo writes trees to a file as the program does.
func exportTo(t *testing.T, file string, trees []mapping.Tree) {
	t.Helper()
	p, err := exporter.Open(exporter.Options{Exporters: []string{"file"}, File: file, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	for _, tree := range trees {
		p.Export(tree)
	}
	if report := p.Flush(context.Background()); report.Lost() > 0 {
		t.Fatalf("lost spans: %+v", report)
	}
}
