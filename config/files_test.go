package config

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the expected messages and generated files")

// canary is in variables and files wherever a secret may be; no message may show it.
const canary = "canary-secret"

// environ is what the files in testdata refer to.
var environ = map[string]string{
	"HOME":     "/home/user",
	"SECRET":   canary,
	"TOKEN":    canary,
	"HMAC_KEY": canary + canary + canary,
	"DIGITS":   "12345",
	"YES":      "true",
}

// env returns a getenv with environ and more.
func env(more ...string) func(string) string {
	return func(name string) string {
		for _, m := range more {
			if value, ok := strings.CutPrefix(m, name+"="); ok {
				return value
			}
		}
		return environ[name]
	}
}

func existing(path string) error {
	if strings.HasSuffix(path, "nowhere.pem") {
		return fs.ErrNotExist
	}
	return nil
}

// loadText loads a file with this text and nothing else.
func loadText(name, text string) (*Settings, Errors) {
	return Load(Options{
		Flags:    map[string]string{"config": name},
		Getenv:   env(),
		ReadFile: func(string) ([]byte, error) { return []byte(text), nil },
		Exists:   existing,
	})
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) < 5 {
		t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
	}
	return paths
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Beside each bad file is one with exactly the messages it must give.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	for _, path := range files(t, "testdata/bad/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			s, errs := loadText(filepath.Base(path), read(t, path))
			if len(errs) == 0 {
				t.Fatal("accepted")
			}
			got := errs.Error() + "\n"
			golden := strings.TrimSuffix(path, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(read(t, golden), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			checkErrors(t, errs)
			if len(s.Exporters) != 0 {
				t.Errorf("exports to %v in spite of errors", s.Exporters)
			}
		})
	}
}

// checkErrors checks what must be true of the errors of any file.
func checkErrors(t *testing.T, errs Errors) {
	t.Helper()
	for _, e := range errs {
		if e.File == "" || e.Line < 1 || e.Column < 1 {
			t.Errorf("%q has no place", e)
		}
		if text := e.Error(); strings.Contains(text, canary) || strings.ContainsAny(text, "\n\x1b\x07") || e.Problem == "" {
			t.Errorf("message %q", text)
		}
	}
}

func TestGoodFiles(t *testing.T) {
	t.Parallel()
	for _, path := range files(t, "testdata/good/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			s, errs := loadText(filepath.Base(path), read(t, path))
			for _, e := range errs {
				t.Error(e)
			}
			if s.Rules == nil {
				t.Error("no compiled rules")
			}
		})
	}
}

func TestTooLargeFile(t *testing.T) {
	t.Parallel()
	_, errs := loadText("big.yaml", "grace: 5s\n#"+strings.Repeat("x", maxFile))
	if want := "big.yaml:1:1: more than 1 MiB; allowed: a file of at most 1 MiB"; errs.Error() != want {
		t.Errorf("got %q, want %q", errs.Error(), want)
	}
	if _, errs := loadText("big.yaml", "grace: 5s\n#"+strings.Repeat("x", maxFile-20)); len(errs) > 0 {
		t.Errorf("a file below the limit: %v", errs)
	}
}
