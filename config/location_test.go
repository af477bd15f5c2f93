package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestDefaultFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("other folders")
	}
	for _, tt := range []struct{ xdg, home, want string }{
		{"/xdg", "/home/u", "/xdg/cbc-otel/config.yaml"},
		{"", "/home/u", "/home/u/.config/cbc-otel/config.yaml"},
		{"relative", "/home/u", "/home/u/.config/cbc-otel/config.yaml"},
		{"", "relative", ""},
		{"", "", ""},
		{".", ".", ""},
	} {
		if got := DefaultFile(env("XDG_CONFIG_HOME="+tt.xdg, "HOME="+tt.home)); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

func TestStoreFolders(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("other folders")
	}
	for _, tt := range []struct {
		variables       []string
		file            string
		wantDir, wantIn string
	}{
		{nil, "", "/home/user/.local/state/cbc-otel/traces", "/home/user/.local/state/cbc-otel"},
		{[]string{"XDG_STATE_HOME=/s"}, "", "/s/cbc-otel/traces", "/s/cbc-otel"},
		{[]string{"XDG_STATE_HOME=s", "HOME="}, "", "", ""},
		{[]string{"XDG_STATE_HOME=/s"}, "store: {dir: ~/mine}", "/home/user/mine", "/s/cbc-otel"},
	} {
		s, errs := load(nil, tt.variables, tt.file)
		if s.Store.Dir != tt.wantDir || s.StateDir != tt.wantIn || len(errs) > 0 {
			t.Errorf("%v, file %q: %q, %q, %v", tt.variables, tt.file, s.Store.Dir, s.StateDir, errs)
		}
	}
}

// writeFile writes a file with exactly this mode, whatever the umask.
func writeFile(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestWhichFileIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "xdg/cbc-otel/config.yaml"), "service_name: default", 0o600)
	writeFile(t, filepath.Join(dir, "named.yaml"), "service_name: named", 0o600)
	writeFile(t, filepath.Join(dir, "env.yaml"), "service_name: env", 0o600)
	xdg, variable := "XDG_CONFIG_HOME="+filepath.Join(dir, "xdg"), "CBC_OTEL_CONFIG="+filepath.Join(dir, "env.yaml")
	for _, tt := range []struct {
		name      string
		flag      map[string]string
		variables []string
		want      string // service name
		file      string
	}{
		{"none", nil, nil, "cbc-otel", ""},
		{"default", nil, []string{xdg}, "default", "xdg/cbc-otel/config.yaml"},
		{"variable", nil, []string{xdg, variable}, "env", "env.yaml"},
		{"flag", map[string]string{"config": filepath.Join(dir, "named.yaml")}, []string{xdg, variable}, "named", "named.yaml"},
		{"empty flag", map[string]string{"config": ""}, []string{xdg, variable}, "cbc-otel", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, errs := Load(Options{Flags: tt.flag, Getenv: env(append(tt.variables, "HOME="+dir)...)})
			file := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(s.ConfigFile, dir)), "/")
			if s.ServiceName != tt.want || file != tt.file || len(errs) > 0 {
				t.Errorf("%q of %q, %v; want %q of %q", s.ServiceName, file, errs, tt.want, tt.file)
			}
		})
	}
}

func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing, folder := filepath.Join(dir, "missing.yaml"), filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	xdg := filepath.Join(dir, "xdg")
	writeFile(t, filepath.Join(xdg, "cbc-otel/config.yaml"), "", 0o600)
	denied := func(string) ([]byte, error) { return nil, fs.ErrPermission }
	for _, tt := range []struct {
		flag     map[string]string
		variable string
		read     func(string) ([]byte, error)
		want     string
	}{
		{map[string]string{"config": missing}, "", nil, `--config: "` + missing + `": file does not exist`},
		{nil, "CBC_OTEL_CONFIG=" + missing, nil, `CBC_OTEL_CONFIG: "` + missing + `": file does not exist`},
		{map[string]string{"config": folder}, "", nil, `--config: "` + folder + `": is not a regular file`},
		{nil, "XDG_CONFIG_HOME=" + xdg, denied, filepath.Join(xdg, "cbc-otel/config.yaml") + ": permission denied"},
	} {
		s, errs := Load(Options{Flags: tt.flag, Getenv: env(tt.variable), ReadFile: tt.read})
		if errs.Error() != tt.want && runtime.GOOS != "windows" {
			t.Errorf("got %q, want %q", errs, tt.want)
		}
		if len(s.Exporters) > 0 {
			t.Errorf("exports to %v without the file that says what may leave", s.Exporters)
		}
	}
}

func TestReadFileReadsNoMoreThanItMust(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "big")
	writeFile(t, path, strings.Repeat("x", maxFile*2), 0o600)
	if data, err := ReadFile(path); err != nil || len(data) != maxFile+1 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := ReadFile(path + ".missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
