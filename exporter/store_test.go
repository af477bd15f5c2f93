package exporter_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"cbc-otel/exporter"
)

// toStore is options for the file exporter without a file, in a state home of its own.
func toStore(t *testing.T) (o exporter.Options, out *output, home string) {
	t.Helper()
	o, out = options(t, "file")
	home = t.TempDir()
	o.Getenv = env{"XDG_STATE_HOME": home}.get
	return o, out, home
}

func stored(t *testing.T, home string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(home, "cbc-otel", "traces", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestStore(t *testing.T) {
	t.Parallel()
	o, out, home := toStore(t)
	o.Now = func() time.Time { return time.Date(2026, 12, 1, 23, 59, 59, 0, time.FixedZone("", -3600)) }
	p := open(t, o)
	if files := stored(t, home); len(files) != 0 {
		t.Errorf("before a workflow was seen: %v", files)
	}
	p.Export(tree(1, 1))
	p.Export(tree(2, 1))
	flush(t, p, hang)
	run(t, o, hang, tree(3, 1))
	files := stored(t, home)
	if len(files) != 2 {
		t.Fatalf("files %v, want one for each run", files)
	}
	total := 0
	for _, f := range files {
		if filepath.Base(filepath.Dir(f)) != "2026-12-02" {
			t.Errorf("%s is not under its day in UTC", f)
		}
		total += len(readFile(t, f))
		for path, want := range map[string]os.FileMode{f: 0o600, filepath.Dir(f): 0o700, filepath.Dir(filepath.Dir(f)): 0o700, filepath.Join(home, "cbc-otel"): 0o700} {
			if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	}
	if total != 9 {
		t.Errorf("%d spans", total)
	}
	if p.StorePath() != filepath.Join(home, "cbc-otel", "traces") {
		t.Errorf("store %s", p.StorePath())
	}
	if strings.Count(out.String(), "traces are stored in") != 1 || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("said %q, want one line once", out)
	}
	contains(t, "the notice", out.String(), p.StorePath(), "14 days", "200 MB", "CBC_OTEL_EXPORTER=none")
}

func TestStoreElsewhere(t *testing.T) {
	t.Parallel()
	o, _, home := toStore(t)
	o.Store.Dir = filepath.Join(t.TempDir(), "deep", "traces")
	run(t, o, hang, tree(1, 1))
	if files, _ := filepath.Glob(filepath.Join(o.Store.Dir, "*", "*.jsonl")); len(files) != 1 || len(stored(t, home)) != 0 {
		t.Errorf("files %v", files)
	}
}

// The default store is never a reason to fail: without a home there is none.
func TestNoHome(t *testing.T) {
	t.Parallel()
	for _, e := range []env{nil, {"XDG_STATE_HOME": "relative", "HOME": "also/relative"}} {
		o, out := options(t, "file")
		o.Getenv = e.get
		p := open(t, o)
		if len(p.Exporters()) != 0 {
			t.Errorf("exporters %v", p.Exporters())
		}
		p.Export(tree(1, 1))
		if r := p.Flush(t.Context()); r.Made != 3 || r.Lost() != 0 || r.Check() != nil {
			t.Errorf("report %+v", r)
		}
		if warnings, err := exporter.Check(o); err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "traces are not stored") {
			t.Errorf("warnings %v, %v", warnings, err)
		}
		if out.String() != "" {
			t.Errorf("printed %q", out)
		}
	}
}

func TestStoreBehindLink(t *testing.T) {
	t.Parallel()
	o, out, home := toStore(t)
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(home, "cbc-otel")); err != nil {
		t.Skip(err)
	}
	if e := one(t, run(t, o, hang, tree(1, 1))); e.Lost[exporter.Disk] != 3 {
		t.Errorf("report %+v", e)
	}
	if left, _ := os.ReadDir(elsewhere); len(left) != 0 {
		t.Errorf("written behind the link: %v", left)
	}
	contains(t, "stderr", out.String(), "is a link, not a folder")
}

// old puts a file into the store as of so many days ago.
func old(t *testing.T, home string, days, bytes int, name string) string {
	t.Helper()
	at := time.Now().Add(-time.Duration(days) * 24 * time.Hour)
	path := filepath.Join(home, "cbc-otel", "traces", at.UTC().Format(time.DateOnly), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, bytes), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

func TestStoreRetention(t *testing.T) {
	t.Parallel()
	o, _, home := toStore(t)
	o.Store.MaxBytes = 10_000
	tooOld := old(t, home, 15, 10, "a.jsonl")
	oldest := old(t, home, 3, 6000, "b.jsonl")
	newer := old(t, home, 2, 6000, "c.jsonl")
	notOurs := old(t, home, 30, 10, "notes.txt")
	run(t, o, hang, tree(1, 1))
	for path, want := range map[string]bool{tooOld: false, filepath.Dir(tooOld): false, oldest: false, filepath.Dir(oldest): false, newer: true, notOurs: true} {
		if exists(path) != want {
			t.Errorf("%s: there is %v, want %v", path, !want, want)
		}
	}
	if n := len(stored(t, home)); n != 3 {
		t.Errorf("%d files are left", n)
	}
}

// A file that another run has just made and not locked yet is not removed; what a run left that died there is.
func TestStoreKeepsNewFiles(t *testing.T) {
	t.Parallel()
	o, _, home := toStore(t)
	o.Store.MaxAge = time.Nanosecond
	died, made := old(t, home, 1, 10, "a.jsonl.new"), old(t, home, 0, 10, "b.jsonl.new")
	run(t, o, hang, tree(1, 1))
	if exists(died) || !exists(made) {
		t.Errorf("there is the old one: %v, the new one: %v", exists(died), exists(made))
	}
}

// What another run is still writing is not removed under it, whatever its age.
func TestStoreKeepsOpenFiles(t *testing.T) {
	t.Parallel()
	o, _, home := toStore(t)
	long := open(t, o)
	long.Export(tree(1, 1))
	if !waitFor(func() bool { return len(stored(t, home)) == 1 }) {
		t.Fatal("no file")
	}
	o.Store.MaxBytes = 1
	run(t, o, hang, tree(2, 1))
	long.Export(tree(3, 1))
	flush(t, long, hang)
	total := 0
	for _, f := range stored(t, home) {
		total += len(readFile(t, f))
	}
	if total != 9 {
		t.Errorf("%d spans are left, want 9", total)
	}
}

// waitFor waits for something that happens soon; false after a long time.
func waitFor(done func() bool) bool {
	for end := time.Now().Add(hang); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if done() {
			return true
		}
	}
	return false
}

func TestStoreManyWriters(t *testing.T) {
	t.Parallel()
	_, out, home := toStore(t)
	var done sync.WaitGroup
	for w := range 10 {
		done.Go(func() {
			o, _ := options(t, "file")
			o.Getenv = env{"XDG_STATE_HOME": home}.get
			o.Log = nil
			o.Store.MaxAge = time.Nanosecond // every sweep wants to remove everything
			for i := range 5 {
				if e := one(t, run(t, o, hang, tree(10*w+i, 3))); e.Exported != 5 {
					t.Error(fmt.Sprint(e), e.Error)
				}
			}
		})
	}
	done.Wait()
	if out.String() != "" {
		t.Errorf("printed %q", out)
	}
}
