//go:build unix

package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFileOthersMayWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for mode, refused := range map[fs.FileMode]bool{0o600: false, 0o644: false, 0o444: false, 0o640: false, 0o664: true, 0o646: true, 0o666: true, 0o602: true} {
		path := filepath.Join(dir, mode.String())
		writeFile(t, path, "grace: 1s", mode)
		_, errs := Load(Options{Flags: map[string]string{"config": path}, Getenv: env()})
		want := ""
		if refused {
			want = `--config: "` + path + `": may be written by others; chmod go-w it`
		}
		if errs.Error() != want {
			t.Errorf("%v: %q, want %q", mode, errs, want)
		}
	}
}

// A link is as good as what it leads to.
func TestLinkToFileOthersMayWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "target"), "grace: 1s", 0o666)
	if err := os.Symlink("target", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(filepath.Join(dir, "link")); err == nil || err.Error() != "may be written by others; chmod go-w it" {
		t.Errorf("error %v", err)
	}
}

// A pipe without a writer must not make the start wait.
func TestPipeIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || err.Error() != "is not a regular file" {
		t.Errorf("error %v", err)
	}
}
