//go:build linux

package transparency

import (
	"strings"
	"testing"
)

// startCases are commands that cannot be started, or only as a shell does it.
// The shell is what they are compared with.
func startCases() []aCase {
	viaShell := sh(`"$0" "$@"`)
	// Our own words for what went wrong name the same thing as the shell's.
	ourWords := func(name string) func(*testing.T, *outcome, *outcome) {
		return func(t *testing.T, bare, wrapped *outcome) {
			if !strings.HasPrefix(wrapped.Stderr, "cbc-otel: ") || strings.Count(wrapped.Stderr, "\n") != 1 {
				t.Errorf("want one line with our prefix: %q", wrapped.Stderr)
			}
			for _, o := range []*outcome{bare, wrapped} {
				if !strings.Contains(o.Stderr, name) {
					t.Errorf("%q does not name %s", o.Stderr, name)
				}
				o.Stderr = ""
			}
		}
	}
	return []aCase{
		{name: "no such command", status: "exit 127", differs: ourWords("no-such-command"),
			play: on(stage{before: viaShell}, "no-such-command", "arg")},
		{name: "no such file", status: "exit 127", differs: ourWords("./no/such/file"),
			play: on(stage{before: viaShell}, "./no/such/file")},
		{name: "a directory", status: "exit 126", differs: ourWords("/tmp"),
			play: on(stage{before: viaShell}, "/tmp")},
		{name: "an empty command name", status: "exit 127", differs: ourWords(""),
			play: on(stage{before: viaShell}, "")},
		{name: "not executable", status: "exit 126", differs: ourWords("./script"), play: func(s *scene) outcome {
			s.file("script", "#!/bin/sh\necho no\n", 0o644)
			return s.start(stage{before: viaShell}, "./script").end()
		}},
		{name: "not executable, on PATH", status: "exit 126", differs: ourWords("script"), play: func(s *scene) outcome {
			s.file("script", "#!/bin/sh\necho no\n", 0o644)
			// Not the shell: dash, unlike others, makes this 127.
			return s.start(stage{before: []string{"/usr/bin/env"}, env: []string{"PATH=" + s.dir}}, "script").end()
		}},
		{name: "a folder of that name on PATH is passed over", status: "exit 0", play: func(s *scene) outcome {
			s.file("one/script/x", "", 0o644)
			s.file("two/script", "#!/bin/sh\necho two\n", 0o755)
			return s.start(stage{before: viaShell, env: []string{"PATH=one:two"}}, "script").end()
		}},
		{name: "not executable here, executable later on PATH", status: "exit 0", play: func(s *scene) outcome {
			s.file("one/script", "#!/bin/sh\necho one\n", 0o644)
			s.file("two/script", "#!/bin/sh\necho two $0\n", 0o755)
			return s.start(stage{before: viaShell, env: []string{"PATH=" + s.dir + "/one:" + s.dir + "/two"}}, "script").end()
		}},
		{name: "an empty PATH entry is the working directory", status: "exit 0", play: func(s *scene) outcome {
			s.file("script", "#!/bin/sh\necho here $0\n", 0o755)
			return s.start(stage{before: viaShell, env: []string{"PATH=/nowhere::/bin"}}, "script").end()
		}},
		{name: "the interpreter does not exist", status: "exit 127", differs: ourWords("./script"), play: func(s *scene) outcome {
			s.file("script", "#!/no/such/interpreter\n", 0o755)
			return s.start(stage{before: viaShell}, "./script").end()
		}},
		{name: "a script without an interpreter line", status: "exit 3", shows: []string{"./script a b"}, play: func(s *scene) outcome {
			s.file("script", "echo $0 $*\nexit 3\n", 0o755)
			return s.start(stage{before: viaShell}, "./script", "a", "b").end()
		}},
		{name: "an empty executable", status: "exit 0", play: func(s *scene) outcome {
			s.file("script", "", 0o755)
			return s.start(stage{before: viaShell}, "./script").end()
		}},
	}
}
