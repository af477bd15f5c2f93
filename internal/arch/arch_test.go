// Package arch holds the import rules of the project, checked as a test.
package arch

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A rule says what the non-test code of a package tree may not import. Patterns ending in "/..." match a
// tree, others one package.
type rule struct {
	in     string
	forbid []string
	why    string
}

var rules = []rule{
	{"cbc-otel/mapping", []string{"os/...", "net/...", "io/...", "log/...", "syscall", "runtime/...", "encoding/json", "go.opentelemetry.io/...", "gopkg.in/...", "cbc-otel/..."},
		"mapping is a pure state machine"},
	{"cbc-otel/filter/...", []string{"os/...", "net/...", "go.opentelemetry.io/...", "gopkg.in/...", "cbc-otel/config/...", "cbc-otel/exporter/..."},
		"rules are pure: what they do depends on the span and the rules alone"},
	{"cbc-otel/internal/stream/...", []string{"os/...", "net/...", "encoding/json", "go.opentelemetry.io/...", "cbc-otel/exporter/...", "cbc-otel/config/..."},
		"decoding knows bytes and events only"},
	{"cbc-otel/internal/insight", []string{"os/...", "net/...", "io/...", "log/...", "encoding/...", "go.opentelemetry.io/...", "cbc-otel/config/...", "cbc-otel/exporter/...", "cbc-otel/filter/...", "cbc-otel/internal/..."},
		"insights depend on the tree alone"},
	{"cbc-otel/internal/progress", []string{"os/...", "net/...", "go.opentelemetry.io/...", "cbc-otel/config/...", "cbc-otel/exporter/...", "cbc-otel/internal/process/..."},
		"progress is news in and lines out"},
	{"cbc-otel/internal/metrics", []string{"os/...", "net/...", "io/...", "log/...", "encoding/...", "go.opentelemetry.io/...", "cbc-otel/config/...", "cbc-otel/exporter/...", "cbc-otel/filter/...", "cbc-otel/internal/..."},
		"data points depend on the trees alone"},
	{"cbc-otel/internal/listing", []string{"os/...", "net/...", "go.opentelemetry.io/...", "cbc-otel/config/...", "cbc-otel/exporter/..."},
		"a table depends on the rows and the options alone"},
	{"cbc-otel/internal/waterfall", []string{"os/...", "net/...", "go.opentelemetry.io/...", "cbc-otel/config/...", "cbc-otel/exporter/...", "cbc-otel/internal/traces"},
		"a picture depends on the tree and the options alone"},
	{"cbc-otel/internal/traces", []string{"net/...", "go.opentelemetry.io/...", "google.golang.org/...", "cbc-otel/config/...", "cbc-otel/exporter/...", "cbc-otel/filter/...", "cbc-otel/internal/process/..."},
		"reading what was written needs nothing of what wrote it"},
	{"cbc-otel/internal/page", []string{"os/...", "net/...", "go.opentelemetry.io/...", "google.golang.org/...", "cbc-otel/config/...", "cbc-otel/exporter/...", "cbc-otel/filter/..."},
		"the page is a function of the traces in it"},
	{"cbc-otel/internal/viewer", []string{"go.opentelemetry.io/...", "google.golang.org/...", "cbc-otel/config/...", "cbc-otel/exporter/...", "cbc-otel/filter/..."},
		"the viewer reads, and has nothing to write with"},
	{"cbc-otel/internal/process/...", []string{"go.opentelemetry.io/...", "google.golang.org/...", "cbc-otel/mapping", "cbc-otel/exporter/...", "cbc-otel/config/..."},
		"nothing the tap does can change what the host sees"},
	{"cbc-otel/internal/session/...", []string{"os/...", "net/...", "crypto/...", "go.opentelemetry.io/...", "cbc-otel/exporter/...", "cbc-otel/config/..."},
		"the span of the command is a function of what it is given"},
	{"cbc-otel/internal/native", []string{"os/exec", "go.opentelemetry.io/otel/...", "google.golang.org/grpc/...", "cbc-otel/config/...", "cbc-otel/exporter", "cbc-otel/internal/process/...", "cbc-otel/internal/tap/..."},
		"what is received is joined to trees, by whoever has them"},
	{"cbc-otel/config/...", []string{"net/http", "go.opentelemetry.io/...", "google.golang.org/...", "cbc-otel/exporter/..."},
		"settings are checked without side effects"},
	{"cbc-otel/exporter/...", []string{"cbc-otel/config/...", "cbc-otel/internal/stream/...", "cbc-otel/internal/process/..."},
		"exporters see finished spans only"},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func TestImports(t *testing.T) {
	t.Parallel()
	used := make([]bool, len(rules))
	for _, p := range list(t) {
		for i, r := range rules {
			if !matches(r.in, p.ImportPath) {
				continue
			}
			used[i] = true
			for _, imported := range p.Imports {
				if slices.ContainsFunc(r.forbid, func(f string) bool { return matches(f, imported) }) && !matches(r.in, imported) {
					t.Errorf("%s imports %s: %s", p.ImportPath, imported, r.why)
				}
			}
		}
	}
	for i, r := range rules {
		if !used[i] {
			t.Errorf("rule for %s matches no package", r.in)
		}
	}
}

// Only one package may know the YAML library (it is no longer maintained) and only one file of it.
func TestYAMLStaysBehindOneFile(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("git", "grep", "-l", `"gopkg.in/yaml.v3"`, "--", ":/*.go", ":!:/*_test.go").Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 128 {
		t.Skip("not a git checkout")
	}
	files := strings.Fields(string(out))
	if len(files) != 1 {
		t.Errorf("yaml.v3 is imported by %v, want one file", files)
	}
}

func matches(pattern, path string) bool {
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == tree || strings.HasPrefix(path, tree+"/")
	}
	return path == pattern
}

func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "cbc-otel/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		pkgs = append(pkgs, p)
	}
}
