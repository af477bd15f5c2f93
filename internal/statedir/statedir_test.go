package statedir_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cbc-otel/internal/statedir"
)

func TestBase(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths of unix")
	}
	for _, c := range []struct{ xdg, home, want string }{
		{"/x", "/h", "/x/cbc-otel"},
		{"", "/h", "/h/.local/state/cbc-otel"},
		{"relative", "/h", "/h/.local/state/cbc-otel"},
		{"", "relative", ""},
		{"", "", ""},
	} {
		env := map[string]string{"XDG_STATE_HOME": c.xdg, "HOME": c.home}
		got, err := statedir.Base(func(key string) string { return env[key] })
		if got != c.want || (c.want == "") != errors.Is(err, statedir.ErrNoHome) {
			t.Errorf("XDG_STATE_HOME=%s HOME=%s: %s, %v, want %s", c.xdg, c.home, got, err, c.want)
		}
	}
}

func TestMake(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "not", "there", "cbc-otel")
	path, created, err := statedir.Make(base, "a", "b")
	if err != nil || !created || path != filepath.Join(base, "a", "b") {
		t.Fatalf("%s, %v, %v", path, created, err)
	}
	if _, created, err = statedir.Make(base, "a", "b"); created || err != nil {
		t.Errorf("again: created %v, %v", created, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, dir := range []string{base, filepath.Join(base, "a"), path} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err = statedir.Make(base, "a", "b"); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{base, filepath.Join(base, "a"), path} {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: mode %v, %v", dir, info.Mode(), err)
		}
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	for what, c := range map[string]struct {
		make func(string) error
		want string
	}{
		"link":          {func(p string) error { return os.Symlink(elsewhere, p) }, "is a link, not a folder"},
		"dangling link": {func(p string) error { return os.Symlink(filepath.Join(elsewhere, "none"), p) }, "is a link, not a folder"},
		"file":          {func(p string) error { return os.WriteFile(p, nil, 0o600) }, "is not a folder"},
	} {
		for _, at := range []string{"", "traces"} {
			t.Run(what+"/"+at, func(t *testing.T) {
				t.Parallel()
				base := filepath.Join(t.TempDir(), "cbc-otel")
				bad := filepath.Join(base, at)
				if err := os.MkdirAll(filepath.Dir(bad), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := c.make(bad); err != nil {
					t.Fatal(err)
				}
				_, _, err := statedir.Make(base, "traces", "today")
				if err == nil || !strings.Contains(err.Error(), bad+" "+c.want) {
					t.Errorf("error %v, want %s", err, c.want)
				}
				if left, _ := os.ReadDir(elsewhere); len(left) != 0 {
					t.Errorf("written behind the link: %v", left)
				}
			})
		}
	}
}

func TestRefusesOtherOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root to give a folder away")
	}
	base := filepath.Join(t.TempDir(), "cbc-otel")
	if err := os.Mkdir(base, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(base, 12345, 12345); err != nil {
		t.Skip(err)
	}
	if _, _, err := statedir.Make(base); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("error %v", err)
	}
}

// Of many that start at once, one makes the folder.
func TestCreatedOnce(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "cbc-otel")
	var created atomic.Int32
	var done sync.WaitGroup
	for range 20 {
		done.Go(func() {
			_, c, err := statedir.Make(base, "traces")
			if err != nil {
				t.Error(err)
			}
			if c {
				created.Add(1)
			}
		})
	}
	done.Wait()
	if created.Load() != 1 {
		t.Errorf("created %d times", created.Load())
	}
}
