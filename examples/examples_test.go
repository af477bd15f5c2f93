// Package examples checks the examples in the folders beside it: what can be run is run, against a command that
// plays a recorded stream; what cannot is parsed, and every name in it must exist.
package examples

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"cbc-otel/config"
	"cbc-otel/internal/otlptest"
	"cbc-otel/internal/testdata"
)

var folders = []string{"cnb", "collector-gateway", "docker", "github-actions", "gitlab-ci", "jenkins", "kubernetes", "sdk-python", "sdk-typescript"}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// files lists the examples' files but those of filtering, which has tests of its own.
func files(t *testing.T) (paths []string) {
	t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

func TestEachHasAREADME(t *testing.T) {
	t.Parallel()
	for _, folder := range folders {
		if lines := strings.Count(read(t, filepath.Join(folder, "README.md")), "\n"); lines < 3 || lines > 60 {
			t.Errorf("%s: %d lines", folder, lines)
		}
	}
}

// Every variable, flag and key of ours that an example or the README uses exists.
func TestNamesExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"CBC_OTEL_SHIM_CHAIN": true}
	for _, s := range config.Table() {
		known[s.Env] = true
		if s.Flag != "" {
			known["--"+s.Flag] = true
		}
		for _, name := range s.OTel {
			known[name] = true
		}
	}
	ours := regexp.MustCompile(`\bCBC_OTEL_[A-Z_]+`)
	standard := regexp.MustCompile(`\bOTEL_EXPORTER_[A-Z_]+|\bOTEL_RESOURCE_[A-Z_]+|\bOTEL_SERVICE_[A-Z_]+`)
	flag := regexp.MustCompile(`cbc-otel((?: replay)?(?: --[a-z-]+(?:[= ][^- ]\S*)?)+)`)
	found := 0
	for _, path := range append(files(t), "../README.md") {
		text := read(t, path)
		names := append(ours.FindAllString(text, -1), standard.FindAllString(text, -1)...)
		for _, m := range flag.FindAllStringSubmatch(text, -1) {
			names = append(names, regexp.MustCompile(`--[a-z-]+`).FindAllString(m[1], -1)...)
		}
		for _, name := range names {
			if found++; !known[name] {
				t.Errorf("%s: %s does not exist", path, name)
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d names found", found)
	}
}

func TestYAML(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, path := range files(t) {
		if ext := filepath.Ext(path); ext != ".yml" && ext != ".yaml" {
			continue
		}
		seen++
		if parse(t, path) == nil {
			t.Errorf("%s is empty", path)
		}
	}
	if seen < 7 {
		t.Errorf("%d files", seen)
	}
	for _, path := range []string{"docker/config.yaml", "collector-gateway/runner.yaml"} {
		_, errs := config.Load(config.Options{
			Flags:    map[string]string{"config": "/c.yaml"},
			Getenv:   func(string) string { return "" },
			ReadFile: func(string) ([]byte, error) { return []byte(read(t, path)), nil },
		})
		if len(errs) > 0 {
			t.Errorf("%s: %v", path, errs)
		}
	}
}

func parse(t *testing.T, path string) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := yaml.Unmarshal([]byte(read(t, path)), &doc); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return doc
}

// at follows keys (string) and indexes (int) into a document.
func at(t *testing.T, doc any, path ...any) any {
	t.Helper()
	for _, p := range path {
		switch p := p.(type) {
		case string:
			doc = doc.(map[string]any)[p]
		case int:
			doc = doc.([]any)[p]
		}
		if doc == nil {
			t.Fatalf("nothing at %v of %v", p, path)
		}
	}
	return doc
}

func text(list any) string {
	var b strings.Builder
	for _, line := range list.([]any) {
		b.WriteString(line.(string) + "\n")
	}
	return b.String()
}

// Components that a pipeline of a collector names are defined.
func TestCollectors(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"collector-gateway/loadbalancer.yaml", "collector-gateway/gateway.yaml"} {
		doc := parse(t, path)
		pipeline := at(t, doc, "service", "pipelines", "traces").(map[string]any)
		for kind, list := range pipeline {
			for _, name := range list.([]any) {
				at(t, doc, kind, name)
			}
		}
	}
}

// What the Dockerfiles copy from the repository exists there, or is made by make dist.
func TestDockerfiles(t *testing.T) {
	t.Parallel()
	copies := regexp.MustCompile(`(?m)^COPY ([^-].*) \S+$`)
	for _, path := range []string{"docker/Dockerfile", "../deploy/image/Dockerfile"} {
		found := 0
		for _, m := range copies.FindAllStringSubmatch(read(t, path), -1) {
			for _, source := range strings.Fields(m[1]) {
				found++
				if source == "dist/cbc-otel-linux-${TARGETARCH}" {
					continue
				}
				if _, err := os.Stat(filepath.Join("..", source)); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
		if found < 2 {
			t.Errorf("%s: %d sources", path, found)
		}
	}
}

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "cbc-otel-examples")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "cbc-otel")
	cmd := exec.Command("go", "build", "-o", program, "cbc-otel/cmd/cbc-otel")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", &buildError{string(out), err}
	}
	return program, nil
})

type buildError struct {
	out string
	err error
}

func (e *buildError) Error() string { return e.err.Error() + "\n" + e.out }

func TestMain(m *testing.M) {
	code := m.Run()
	if program, err := build(); err == nil {
		_ = os.RemoveAll(filepath.Dir(program))
	}
	os.Exit(code)
}

// machine is a place where an example runs: a folder with a command that plays a stream, and a receiver.
type machine struct {
	t        *testing.T
	dir      string
	program  string
	receiver *otlptest.Receiver
	env      []string
}

func newMachine(t *testing.T, name, capture string) *machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the examples are for shells")
	}
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, dir: t.TempDir(), program: program, receiver: otlptest.New(t, otlptest.Config{})}
	c, err := testdata.Find(capture)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m.write("stream.ndjson", string(stream), 0o600)
	m.write("bin/"+name, "#!/bin/sh\ncase \"$*\" in *stream-json*) exec cat "+m.dir+"/stream.ndjson;; esac\nexit 9\n", 0o755)
	m.write("bin/npm", "#!/bin/sh\nexit 0\n", 0o755)
	if err := os.Symlink(program, filepath.Join(m.dir, "bin", "cbc-otel")); err != nil {
		t.Fatal(err)
	}
	m.env = []string{
		"HOME=" + m.dir, "PATH=" + filepath.Join(m.dir, "bin") + ":" + os.Getenv("PATH"),
		"CBC_OTEL_ENDPOINT=" + m.receiver.GRPCURL(), "CBC_OTEL_FLUSH_TIMEOUT=1m",
		"WRAPPER_URL=file://" + program,
	}
	return m
}

func (m *machine) write(name, text string, mode os.FileMode) {
	m.t.Helper()
	path := filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) run(name string, args ...string) string {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = m.dir, m.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		m.t.Fatalf("%s: %v\n%s", name, err, stderr.String())
	}
	return string(out)
}

// sh runs the steps of a job as the CI systems do: a shell that stops at the first failure.
func (m *machine) sh(script string) string { return m.run("sh", "-ec", script) }

// received checks that the workflow arrived.
func (m *machine) received() {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if !m.receiver.Wait(ctx, 10) || len(m.receiver.Spans()) != 10 {
		m.t.Errorf("%d spans arrived, want 10", len(m.receiver.Spans()))
	}
}

// audited checks what the job's command printed.
func (m *machine) audited() {
	m.t.Helper()
	if got := read(m.t, filepath.Join(m.dir, "audit.ndjson")); got != read(m.t, filepath.Join(m.dir, "stream.ndjson")) {
		m.t.Errorf("the output of the command is different: %d bytes", len(got))
	}
}
