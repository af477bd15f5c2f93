//go:build linux

package transparency

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// shimCases start the wrapper under the name of another program. Bare, that
// program is found on PATH; wrapped, a folder with a link to the wrapper comes
// before it.
func shimCases() []aCase {
	// Arguments with stream output, so that the wrapper stays.
	stream := []string{"--output-format", "stream-json"}
	shimmed := func(lay func(s *scene) string, args ...string) func(*scene) outcome {
		return func(s *scene) outcome {
			realDir := filepath.Join(s.dir, "real")
			if err := copyFile(testBinary(s), filepath.Join(realDir, "cbc")); err != nil {
				s.t.Fatal(err)
			}
			path := realDir
			if s.wrapped {
				path = lay(s)
			}
			return s.shim(stage{env: []string{"PATH=" + path}}, "cbc", args...)
		}
	}
	link := func(s *scene, names ...string) {
		for _, name := range names {
			s.link(world.wrapper, name)
		}
	}
	one := func(s *scene) string {
		link(s, "shim/cbc")
		return s.dir + "/shim:" + s.dir + "/real"
	}
	odd := append([]string{"argv", "--exporter", "file", "--", "--tap=always", "-h", "version"}, stream...)
	return []aCase{
		{name: "shim, a link", status: "exit 7", shows: []string{"argv"}, play: shimmed(one, append([]string{"argv", "env", "blob:1000", "exit:7"}, stream...)...)},
		{name: "shim, arguments that look like ours", status: "exit 0", shows: []string{`"--exporter" "file" "--"`}, play: shimmed(one, odd...)},
		{name: "shim, not tapped: the same process", status: "exit 0", play: shimmed(one, "ties", "fds", "argv")},
		{name: "shim, PATH has it twice", status: "exit 0", play: shimmed(func(s *scene) string {
			p := one(s)
			return s.dir + "/shim:" + s.dir + "/shim/../shim:" + p
		}, append([]string{"argv"}, stream...)...)},
		{name: "shim, two links", status: "exit 0", play: shimmed(func(s *scene) string {
			link(s, "one/cbc", "two/cbc")
			return s.dir + "/one:" + s.dir + "/two:" + s.dir + "/real"
		}, append([]string{"argv"}, stream...)...)},
		{name: "shim, a link to a link", status: "exit 0", play: shimmed(func(s *scene) string {
			link(s, "two/cbc")
			s.link(filepath.Join(s.dir, "two/cbc"), "one/cbc")
			return s.dir + "/one:" + s.dir + "/two:" + s.dir + "/real"
		}, append([]string{"argv"}, stream...)...)},
		{name: "shim, copies", status: "exit 0", play: shimmed(func(s *scene) string {
			for _, dir := range []string{"one", "two", "three"} {
				if err := copyFile(world.wrapper, filepath.Join(s.dir, dir, "cbc")); err != nil {
					s.t.Fatal(err)
				}
			}
			return s.dir + "/one:" + s.dir + "/two:" + s.dir + "/three:" + s.dir + "/one:" + s.dir + "/real"
		}, append([]string{"argv"}, stream...)...)},
		{name: "shim, copies that call each other's folder first", status: "exit 0", play: shimmed(func(s *scene) string {
			if err := copyFile(world.wrapper, filepath.Join(s.dir, "one/cbc")); err != nil {
				s.t.Fatal(err)
			}
			link(s, "two/cbc")
			return s.dir + "/two:" + s.dir + "/one:" + s.dir + "/two:" + s.dir + "/real"
		}, append([]string{"argv"}, stream...)...)},
		{name: "shim, relative PATH entries", status: "exit 0", play: shimmed(func(s *scene) string {
			link(s, "shim/cbc")
			return "shim:./shim:no/such:real"
		}, append([]string{"argv"}, stream...)...)},
		{name: "shim, an empty PATH entry is the working directory", status: "exit 0", play: shimmed(func(s *scene) string {
			link(s, "cbc")
			return ":" + s.dir + "/real"
		}, append([]string{"argv"}, stream...)...)},
		{name: "shim, a file that may not be executed comes first", status: "exit 0", play: shimmed(func(s *scene) string {
			s.file("first/cbc", "#!/bin/sh\n", 0o644)
			return s.dir + "/first:" + one(s)
		}, append([]string{"argv"}, stream...)...)},
		{name: "shim, started as cbc.exe", status: "exit 0", play: func(s *scene) outcome {
			if err := copyFile(testBinary(s), filepath.Join(s.dir, "real/cbc")); err != nil {
				s.t.Fatal(err)
			}
			s.link(world.wrapper, "shim/cbc.exe")
			st := stage{env: []string{"PATH=" + s.dir + "/shim:" + s.dir + "/real"}, path: filepath.Join(s.dir, "real/cbc")}
			if s.wrapped {
				st.path = filepath.Join(s.dir, "shim/cbc.exe")
			}
			return s.shimmed(s.startLine(st, append([]string{"cbc.exe", "argv"}, stream...)))
		}},
		{name: "shim, sent TERM", status: "signal SIGTERM", play: func(s *scene) outcome {
			s.file("real/cbc", "#!/bin/sh\necho ready >&3; read x <&4\n", 0o755)
			s.link(world.wrapper, "shim/cbc")
			path := s.dir + "/real"
			if s.wrapped {
				path = s.dir + "/shim:" + path
			}
			r := s.startLine(stage{env: []string{"PATH=" + path + ":/bin:/usr/bin"}, path: first(s, path, "cbc")}, append([]string{"cbc"}, stream...))
			r.says("ready")
			r.kill(syscall.SIGTERM)
			return s.shimmed(r)
		}},
		{name: "shim, nothing behind it", status: "exit 127", play: func(s *scene) outcome {
			if !s.wrapped {
				return s.start(stage{before: sh(`"$0" "$@"`), env: []string{"PATH=" + s.dir}}, "cbc").end()
			}
			s.link(world.wrapper, "shim/cbc")
			path := s.dir + "/shim:" + s.dir + "/empty"
			return s.startLine(stage{path: s.dir + "/shim/cbc", env: []string{"PATH=" + path}}, []string{"cbc"}).end()
		}, differs: func(t *testing.T, bare, wrapped *outcome) {
			for _, want := range []string{"cbc: no other program", "/shim/cbc"} {
				if !strings.Contains(wrapped.Stderr, want) {
					t.Errorf("%q does not name %q", wrapped.Stderr, want)
				}
			}
			bare.Stderr = wrapped.Stderr
		}},
	}
}

// shim starts the first program of that name on the stage's PATH, its name for
// argv[0], to its end.
func (s *scene) shim(st stage, name string, args ...string) outcome {
	s.t.Helper()
	path := strings.TrimPrefix(st.env[0], "PATH=")
	st.path = first(s, path, name)
	return s.shimmed(s.startLine(st, append([]string{name}, args...)))
}

// shimmed is the end of a run without what a shim documents to add.
func (s *scene) shimmed(r *run) outcome {
	s.t.Helper()
	o := r.end()
	o.Report = chain.ReplaceAllString(o.Report, "")
	// PATH is what the two plays differ in.
	o.Report = pathVariable.ReplaceAllString(o.Report, "")
	return o
}

// first is the file a shell would find.
func first(s *scene, path, name string) string {
	s.t.Helper()
	for _, dir := range strings.Split(path, ":") {
		if dir == "" {
			dir = "."
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(s.dir, dir)
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode()&0o111 != 0 {
			return file
		}
	}
	s.t.Fatalf("no %s on %s", name, path)
	return ""
}

// link makes a link in the scene's directory.
func (s *scene) link(to, name string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		s.t.Fatal(err)
	}
}

func testBinary(s *scene) string {
	s.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	return exe
}

var (
	chain        = regexp.MustCompile(` ?"CBC_OTEL_SHIM_CHAIN=[^"]*"`)
	pathVariable = regexp.MustCompile(` ?"PATH=[^"]*"`)
)
