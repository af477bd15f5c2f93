//go:build unix

package process

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLook(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("none/tool", 0o644)
	first, second := write("first/tool", 0o755), write("second/tool", 0o755)
	write("folder/tool/x", 0o644)
	path := func(dirs ...string) string {
		for i, d := range dirs {
			dirs[i] = filepath.Join(dir, d)
		}
		return strings.Join(dirs, ":")
	}
	for _, c := range []struct {
		name, command, path string
		want                string
		code                int // of the error
		text                string
	}{
		{"the first", "tool", path("first", "second"), first, 0, ""},
		{"past one that may not be executed", "tool", path("none", "second"), second, 0, ""},
		{"past a folder", "tool", path("folder", "second"), second, 0, ""},
		{"past a folder that is not there", "tool", path("gone", "second"), second, 0, ""},
		{"a slash at the end", "tool", path("first") + "/", first, 0, ""},
		{"with a slash it is not searched", "./tool", path("first"), "./tool", 0, ""},
		{"none", "tool", path("gone"), "", 127, "tool: command not found"},
		{"only one that may not be executed", "tool", path("none"), "", 126, filepath.Join(dir, "none/tool") + ": permission denied"},
		{"no name", "", path("first"), "", 127, "'': command not found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Look(c.command, c.path)
			if got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
			if c.code == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var start *StartError
			if !errors.As(err, &start) || start.Code != c.code || start.Error() != c.text {
				t.Errorf("error %v, want code %d, %q", err, c.code, c.text)
			}
		})
	}
}

func TestCandidatesKeepRelativeFolders(t *testing.T) {
	t.Parallel()
	got := strings.Join(Candidates("x", "a/../b::.:/c/"), " ")
	if want := "a/../b/x x ./x /c/x"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSearchPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"A=1", "PATH=/x:/y", "PATH=/z"}, "/x:/y"},
		{[]string{"PATH="}, "."},
		{[]string{"MYPATH=/x"}, defaultPath},
	} {
		if got := SearchPath(c.env); got != c.want {
			t.Errorf("SearchPath(%q) = %q, want %q", c.env, got, c.want)
		}
	}
}

func TestIsScript(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]bool{
		"":                                true,
		"echo hi\n":                       true,
		"echo hi\n\x00\x01":               true,
		"\x7fELF\x02\x00\x00":             false,
		strings.Repeat("x", 200) + "\x00": true,
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := isScript(path); got != want {
			t.Errorf("isScript(%q) = %v", content, got)
		}
	}
	if isScript(filepath.Join(t.TempDir(), "none")) {
		t.Error("a file that is not there is a script")
	}
}
