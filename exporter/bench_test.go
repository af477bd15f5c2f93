package exporter_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"cbc-otel/exporter"
	"cbc-otel/internal/otlptest"
	"cbc-otel/mapping"
)

// export runs one tree through a pipeline, from opening to the end of the flush.
func benchmark(b *testing.B, o exporter.Options, t mapping.Tree) {
	b.ReportAllocs()
	for b.Loop() {
		p, err := exporter.Open(o)
		if err != nil {
			b.Fatal(err)
		}
		p.Export(t)
		if r := p.Flush(context.Background()); r.Exporters[0].Exported != len(t.Spans) {
			b.Fatalf("report %+v", r)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(t.Spans)), "ns/span")
}

func BenchmarkExport(b *testing.B) {
	for _, agents := range []int{10, 100, 1000} {
		tr := tree(1, agents)
		b.Run(fmt.Sprintf("file/%d", agents), func(b *testing.B) {
			benchmark(b, exporter.Options{Exporters: []string{"file"}, File: filepath.Join(b.TempDir(), "out"), Getenv: env{}.get}, tr)
		})
		b.Run(fmt.Sprintf("console/%d", agents), func(b *testing.B) {
			benchmark(b, exporter.Options{Exporters: []string{"console"}, Console: exporter.Console{Out: io.Discard}, Getenv: env{}.get}, tr)
		})
		for _, protocol := range protocols {
			b.Run(fmt.Sprintf("%s/%d", protocol, agents), func(b *testing.B) {
				r, err := otlptest.Start(otlptest.Config{})
				if err != nil {
					b.Fatal(err)
				}
				defer r.Close()
				o := exporter.Options{Exporters: []string{"otlp"}, OTLP: exporter.OTLP{Endpoint: r.URL(protocol), Protocol: protocol}, Getenv: env{}.get}
				o.Spool.Base = filepath.Join(b.TempDir(), "cbc-otel")
				benchmark(b, o, tr)
			})
		}
	}
}

// What a run pays that has nothing to export.
func BenchmarkOpen(b *testing.B) {
	o := exporter.Options{Exporters: []string{"otlp"}, OTLP: exporter.OTLP{Endpoint: "http://localhost:4317"}, Getenv: env{}.get}
	b.ReportAllocs()
	for b.Loop() {
		p, err := exporter.Open(o)
		if err != nil {
			b.Fatal(err)
		}
		p.Flush(context.Background())
	}
}
