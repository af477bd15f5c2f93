package doctor_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/exporter/spool"
	"cbc-otel/internal/doctor"
)

func info(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	i, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// The store is only tried: nothing is left behind, not even its folder.
func TestStore(t *testing.T) {
	t.Parallel()
	got := examination{}.run(t)
	got.want(t, nil, true, "ok    exporter: file (default)", "{ALL}", "ok    store: traces are kept in {STATE}/traces", wouldArrive)
	if left, err := os.ReadDir(got.state); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestStoreNotWritable(t *testing.T) {
	t.Parallel()
	state, elsewhere := t.TempDir(), t.TempDir()
	base := filepath.Join(state, "cbc-otel")
	for _, c := range []struct {
		name string
		make func()
		want string
	}{
		{"a file in its place", func() { write(t, filepath.Join(base, "traces"), "") },
			"FAIL  store: cannot be written: " + base + "/traces is not a folder -> correct that, or name another folder in store.dir"},
		{"a link", func() { must(t, os.Symlink(elsewhere, filepath.Join(base, "traces"))) },
			"FAIL  store: cannot be written: " + base + "/traces is a link, not a folder -> correct that, or name another folder in store.dir"},
	} {
		must(t, os.MkdirAll(base, 0o700))
		c.make()
		examination{}.with("XDG_STATE_HOME", state).run(t).want(t, nil, false, "ok    exporter: file (default)", "{ALL}", c.want, oneProblem)
		must(t, os.RemoveAll(base))
	}
	examination{}.with("XDG_STATE_HOME", "").run(t).want(t, nil, false, "ok    exporter: file (default)", "{ALL}",
		"warn  file: traces are not stored: neither XDG_STATE_HOME nor HOME is an absolute path",
		"FAIL  store: neither XDG_STATE_HOME nor HOME is an absolute path -> set one of them, or choose another exporter", oneProblem)
}

// A permission that is missing; root has all of them.
func TestNoPermission(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("nothing is forbidden")
	}
	state := t.TempDir()
	must(t, os.Chmod(state, 0o500))
	examination{}.with("XDG_STATE_HOME", state).run(t).want(t, nil, false, "ok    exporter: file (default)", "{ALL}",
		"FAIL  store: cannot be written: mkdir "+state+"/cbc-otel: permission denied -> correct that, or name another folder in store.dir", oneProblem)
}

func TestFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "traces.jsonl")
	e := examination{flags: map[string]string{"file": path, "exporter": "file"}}
	e.run(t).want(t, nil, true, "ok    exporter: file (--exporter)", "{ALL}", "ok    file: the test span was added to "+path, wouldArrive)
	if text := read(t, path); strings.Count(text, "\n") != 1 || !contains(text, `"name":"cbc-otel doctor"`, `"key":"cbc.doctor"`) {
		t.Errorf("in the file: %s", text)
	}
	for _, c := range []struct {
		name, path, want string
		stdout           bool
	}{
		{"a folder", dir, "FAIL  file: file: " + dir + " is a folder -> correct the setting, or what it names", false},
		{"no folder", dir + "/no/f", "FAIL  file: cannot be written: open " + dir + "/no/f: no such file or directory -> correct that, or --file", false},
		{"our output", path, "FAIL  file: file: " + path + " is where standard output goes, which belongs to the command alone -> correct the setting, or what it names", true},
		{"full", "/dev/full", "FAIL  file: cannot be written: write /dev/full: no space left on device -> correct that, or --file", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat("/dev/full"); c.name == "full" && err != nil {
				t.Skip(err)
			}
			e := examination{flags: map[string]string{"file": c.path, "exporter": "file"}}
			if c.stdout {
				e = e.options(func(o *doctor.Options) { o.Exporter.Stdout = info(t, path) })
			}
			e.run(t).want(t, nil, false, "ok    exporter: file (--exporter)", "{ALL}", c.want, oneProblem)
		})
	}
}

func TestConsole(t *testing.T) {
	t.Parallel()
	const fine = "ok    console: the tree of the test span was written to standard error"
	dir := t.TempDir()
	one, other := filepath.Join(dir, "1"), filepath.Join(dir, "2")
	write(t, one, "")
	write(t, other, "")
	e := examination{flags: map[string]string{"exporter": "console"}}
	var tree bytes.Buffer
	e.options(func(o *doctor.Options) {
		o.Exporter.Console.Out, o.Exporter.Stdout, o.Stderr = &tree, info(t, one), info(t, other)
	}).run(t).want(t, nil, true, "ok    exporter: console (--exporter)", "{ALL}", fine, wouldArrive)
	if !strings.Contains(tree.String(), doctor.SpanName) {
		t.Errorf("the tree is %q", tree.String())
	}
	e.options(func(o *doctor.Options) { o.Exporter.Stdout, o.Stderr = info(t, one), info(t, one) }).run(t).want(t, nil, true,
		"ok    exporter: console (--exporter)", "{ALL}",
		"warn  console: standard error goes where standard output goes: trees stand among what the command writes -> keep them apart (no 2>&1)",
		fine, withAWarning)
	e.options(func(o *doctor.Options) { o.Exporter.Console.Out = nowhere{} }).run(t).want(t, nil, false,
		"ok    exporter: console (--exporter)", "{ALL}",
		"FAIL  console: the tree of the test span could not be written to standard error: file already closed -> look where it goes", oneProblem)
}

type nowhere struct{}

func (nowhere) Write([]byte) (int, error) { return 0, fs.ErrClosed }

// Without a spool traces arrive all the same, as long as all goes well.
func TestSpool(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	base := filepath.Join(state, "cbc-otel")
	must(t, os.MkdirAll(base, 0o700))
	write(t, filepath.Join(base, "spool"), "")
	last := func(e examination) []string { return e.run(t).findings[3:] }
	e := to("http://127.0.0.1:1", exporter.ProtocolGRPC)
	for _, c := range []struct {
		name string
		e    examination
		want string
	}{
		{"not writable", e.with("XDG_STATE_HOME", state), "warn  spool: spans that cannot be sent are lost: " + base + "/spool is not a folder -> correct that"},
		{"no home", e.with("XDG_STATE_HOME", ""), "warn  spool: spans that cannot be sent are lost: neither XDG_STATE_HOME nor HOME is an absolute path -> set one of them"},
	} {
		if got := last(c.e)[1]; got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
	}

	must(t, os.Remove(filepath.Join(base, "spool")))
	s := spool.New(spool.Options{Base: base, Now: time.Now})
	if _, _, err := s.Put(spool.Header{Destination: spool.Destination{Exporter: "otlp"}, Spans: 7}, []byte("x")); err != nil {
		t.Fatal(err)
	}
	want := "warn  spool: 7 spans for other places wait in " + base + "/spool -> cbc-otel flush lists them; with --all it sends them here"
	if got := last(e.with("XDG_STATE_HOME", state))[1]; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if entries, err := s.List(); err != nil || len(entries) != 1 {
		t.Errorf("%d files, %v", len(entries), err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
