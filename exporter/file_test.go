package exporter_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"cbc-otel/exporter"
)

func lines(content []byte) [][]byte {
	if len(content) == 0 {
		return nil
	}
	return bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
}

func TestFileAppends(t *testing.T) {
	t.Parallel()
	o, path := toFile(t)
	run(t, o, hang, tree(1, 1), tree(2, 1))
	run(t, o, hang, tree(3, 1))
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := lines(content); len(got) != 3 || content[len(content)-1] != '\n' {
		t.Errorf("%d lines: %q", len(got), content)
	}
	if spans := readFile(t, path); len(spans) != 9 {
		t.Errorf("%d spans", len(spans))
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// Whatever was cut off before, ours is a line of its own.
func TestFileAfterTornLine(t *testing.T) {
	t.Parallel()
	o, path := toFile(t)
	if err := os.WriteFile(path, []byte(`{"resourceSp`), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, o, hang, tree(1, 1))
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := lines(content)
	if len(got) != 2 || string(got[0]) != `{"resourceSp` || !strings.HasPrefix(string(got[1]), `{"resourceSpans"`) {
		t.Errorf("%q", content)
	}
}

func TestFileManyWriters(t *testing.T) {
	t.Parallel()
	_, path := toFile(t)
	var done sync.WaitGroup
	for w := range 8 {
		done.Go(func() {
			o, _ := options(t, "file")
			o.File = path
			for i := range 5 {
				run(t, o, hang, tree(100*w+i, 50))
			}
		})
	}
	done.Wait()
	var got []string
	for _, s := range readFile(t, path) {
		got = append(got, s.ID())
	}
	slices.Sort(got)
	if got = slices.Compact(got); len(got) != 8*5*52 {
		t.Errorf("%d spans", len(got))
	}
}

func TestFileFailures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, c := range map[string]struct {
		path   string
		stdout string
		want   string // of Open
		reason exporter.Reason
		says   string
	}{
		"a folder":               {dir, "", "file: " + dir + " is a folder", "", ""},
		"no folder":              {filepath.Join(dir, "none", "x"), "", "", exporter.Disk, "no such file or directory"},
		"full disk":              {"/dev/full", "", "", exporter.Disk, "no space left on device"},
		"standard output":        {filepath.Join(dir, "out"), filepath.Join(dir, "out"), "is where standard output goes", "", ""},
		"standard output linked": {filepath.Join(dir, "link"), filepath.Join(dir, "linked"), "is where standard output goes", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat("/dev/full"); err != nil {
				t.Skip("no /dev/full")
			}
			o, out := options(t, "file")
			o.File = c.path
			if c.stdout != "" {
				f, err := os.Create(c.stdout)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if c.path != c.stdout {
					if err := os.Link(c.stdout, c.path); err != nil {
						t.Fatal(err)
					}
				}
				if o.Stdout, err = f.Stat(); err != nil {
					t.Fatal(err)
				}
			}
			if c.want != "" {
				if _, err := exporter.Open(o); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %s", err, c.want)
				}
				return
			}
			e := one(t, run(t, o, hang, tree(1, 1), tree(2, 1)))
			if e.Lost[c.reason] != 6 || e.Exported != 0 {
				t.Errorf("report %+v", e)
			}
			contains(t, "stderr", out.String(), "warning: file: 6 spans lost (cannot write): ", c.says)
		})
	}
}

// The file may become our standard output after the check, or be given by another name.
func TestFileIsStdoutWhenWritten(t *testing.T) {
	t.Parallel()
	o, path := toFile(t)
	f, err := os.Create(path + ".other")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if o.Stdout, err = f.Stat(); err != nil {
		t.Fatal(err)
	}
	p := open(t, o)
	if err := os.Rename(path+".other", path); err != nil {
		t.Fatal(err)
	}
	p.Export(tree(1, 1))
	if e := one(t, flush(t, p, hang)); e.Lost[exporter.Misconfig] != 3 {
		t.Errorf("report %+v", e)
	}
	if content, err := os.ReadFile(path); err != nil || len(content) != 0 {
		t.Errorf("written into standard output: %q, %v", content, err)
	}
}

func ExampleReport() {
	fmt.Println(exporter.ExporterReport{Name: "otlp", Exported: 3, Spooled: 2, Lost: map[exporter.Reason]int{exporter.Rejected: 1}})
	// Output: otlp: 3 exported, 2 spooled, 1 lost (rejected by receiver)
}

// Who locks the file for good is waited for once, not for every batch.
func TestFileLockedForGood(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the file is not locked there")
	}
	o, path := toFile(t)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other := flock.New(path, flock.SetFlag(os.O_RDWR))
	if ok, err := other.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	defer other.Close()
	start := time.Now()
	if e := one(t, run(t, o, hang, numbered(60, 1)...)); e.Exported != 180 {
		t.Errorf("report %+v", e)
	}
	if took := time.Since(start); took > hang/2 {
		t.Errorf("took %v", took)
	}
}
