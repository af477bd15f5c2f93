//go:build unix

package shim

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	t.Parallel()
	for argv0, want := range map[string]string{
		"cbc": "cbc", "/usr/bin/claude": "claude", "./codebuddy": "codebuddy",
		"cbc.exe": "cbc", "/x/CBC.EXE": "CBC", "cbc.sh": "cbc.sh", ".exe": ".exe", "cbc.exe.exe": "cbc.exe",
	} {
		if got := Name(argv0); got != want {
			t.Errorf("Name(%q) = %q, want %q", argv0, got, want)
		}
	}
}

// tree makes executables, named by their folders, and returns their identities.
func tree(t *testing.T, dirs ...string) (root string, id map[string]string) {
	t.Helper()
	root, id = t.TempDir(), map[string]string{}
	for _, dir := range dirs {
		file := filepath.Join(root, dir, "cbc")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if id[dir], err = Identity(file); err != nil {
			t.Fatal(err)
		}
	}
	return root, id
}

func TestNext(t *testing.T) {
	t.Parallel()
	root, id := tree(t, "us", "copy", "real", "other")
	if err := os.MkdirAll(filepath.Join(root, "link"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "us/cbc"), filepath.Join(root, "link/cbc")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		dirs  string
		self  string
		chain string
		found string // its folder
		after string // the chain for the command
	}{
		{"the next", "us real other", "us", "", "real", "us"},
		{"one before us", "real us", "us", "", "real", "us"},
		{"behind a link to us", "link us real", "us", "", "real", "us"},
		{"behind a copy that was here before", "us copy real", "us", "copy", "real", "copy us"},
		{"a copy that was not", "us copy real", "us", "", "copy", "us"},
		{"we were here before", "us real", "us", "us", "real", "us"},
		{"an identity we cannot know", "real", "", "copy", "real", "copy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := Next("cbc", paths(root, c.dirs), id[c.self], ids(id, c.chain))
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(root, c.found, "cbc"); found.File != want {
				t.Errorf("found %s, want %s", found.File, want)
			}
			if want := ids(id, c.after); found.Chain != want {
				t.Errorf("chain %s, want %s", found.Chain, want)
			}
		})
	}
}

func TestNextFindsNothing(t *testing.T) {
	t.Parallel()
	root, id := tree(t, "us", "copy")
	refused := filepath.Join(root, "none/cbc")
	if err := os.MkdirAll(filepath.Dir(refused), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(refused, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dirs string
		code int
		text string
	}{
		{"empty", 127, "cbc: no other program of that name on PATH"},
		{"us empty copy", 127, "cbc: no other program of that name on PATH; skipped as this program: ROOT/us/cbc, ROOT/copy/cbc"},
		{"us none", 126, "cbc: no other program of that name on PATH; skipped as this program: ROOT/us/cbc; not executable: ROOT/none/cbc"},
	} {
		_, err := Next("cbc", paths(root, c.dirs), id["us"], id["copy"])
		var missing *NotFoundError
		if !errors.As(err, &missing) {
			t.Fatalf("%s: error %v", c.dirs, err)
		}
		if got := strings.ReplaceAll(missing.Error(), root, "ROOT"); got != c.text || missing.Code() != c.code {
			t.Errorf("%s: %d %s\nwant %d %s", c.dirs, missing.Code(), got, c.code, c.text)
		}
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	got := Environ([]string{"A=1", ChainVar + "=old", "A=1", "odd"}, "1:2")
	if want := []string{"A=1", "A=1", "odd", ChainVar + "=1:2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSelf(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if id, err := Identity(exe); err != nil || id != Self() {
		t.Errorf("Self() = %q, the file is %q, %v", Self(), id, err)
	}
}

func paths(root, dirs string) string {
	var list []string
	for _, dir := range strings.Fields(dirs) {
		list = append(list, filepath.Join(root, dir))
	}
	return strings.Join(list, ":")
}

func ids(id map[string]string, names string) string {
	var list []string
	for _, name := range strings.Fields(names) {
		list = append(list, id[name])
	}
	return strings.Join(list, ",")
}
