// Package e2e runs the real programs: Jaeger and a collector built from their modules, the agent CLIs and SDKs from
// npm, with cbc-otel between them.
package e2e

import (
	"path/filepath"
	"sync"
	"testing"

	"cbc-otel/test/e2e/internal/program"
)

// bin is where the programs are built: the linker does nothing when they are up to date.
var bin = filepath.Join(root, "bin", "e2e")

// build builds a program once and returns a function that tells where it is.
func build(dir, name, pkg string) func(*testing.T) string {
	out := filepath.Join(bin, name)
	once := sync.OnceValue(func() error { return program.Go(filepath.Join(root, dir), out, pkg) })
	return func(t *testing.T) string {
		t.Helper()
		if err := once(); err != nil {
			t.Fatal(err)
		}
		return out
	}
}

var (
	cbcOtel   = build(".", "cbc-otel", "./cmd/cbc-otel")
	jaegerBin = build("test/e2e/jaeger", "jaeger", "github.com/jaegertracing/jaeger/cmd/jaeger")
	otelcol   = build("test/e2e/otelcol", "otelcol", ".")
)
