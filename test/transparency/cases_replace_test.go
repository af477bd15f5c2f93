//go:build linux

package transparency

import (
	"fmt"
	"syscall"
)

// replaceCases are commands that the wrapper becomes. Nothing may differ.
func replaceCases() []aCase {
	never := []string{"--tap=never"}
	samePID := func(st stage, args ...string) func(*scene) outcome {
		return func(s *scene) outcome {
			r := s.start(st, args...)
			o := r.end()
			var pid int
			if _, err := fmt.Sscanf(o.Report, "pid %d", &pid); err != nil {
				s.t.Error(err)
			}
			o.Report = ""
			o.Facts = []string{fmt.Sprintf("the process that was started: %v", pid == r.process.Pid)}
			return o
		}
	}
	return []aCase{
		{name: "replaced, same process", status: "exit 7", shows: []string{"started: true"},
			play: samePID(stage{flags: never}, agent("pid", "exit:7")...)},
		{name: "replaced, killed", status: "signal SIGKILL", play: func(s *scene) outcome {
			r := s.start(stage{flags: never}, agent("say:ready", "cue")...)
			r.says("ready")
			r.kill(syscall.SIGKILL)
			return r.end()
		}},
		{name: "replaced, descriptors and ties", status: "exit 0",
			play: on(stage{flags: never, before: sh(`exec 7</dev/null; exec "$0" "$@"`)}, agent("fds", "ties", "flags")...)},
		{name: "replaced, dies with its parent as before", status: "exit 0", shows: []string{"dies with parent true"},
			play: on(stage{flags: never, given: "d"}, agent("ties")...)},
		{name: "replaced, limits", status: "exit 0",
			play: on(stage{flags: never, before: sh(`ulimit -S -n 99; exec "$0" "$@"`)}, "/bin/cat", "/proc/self/limits")},
		{name: "replaced, closed descriptors", status: "exit 0",
			play: on(stage{flags: never, given: "x0,x2"}, sh(`ls /proc/$$/fd`)...)},
		{name: "replaced, a script without an interpreter line", status: "exit 0", shows: []string{"./script a"}, play: func(s *scene) outcome {
			s.file("script", "echo $0 $*\n", 0o755)
			return s.start(stage{flags: never, before: sh(`"$0" "$@"`)}, "./script", "a").end()
		}},
		{name: "replaced, no such command", status: "exit 127", play: func(s *scene) outcome {
			o := s.start(stage{flags: never, before: sh(`"$0" "$@"`)}, "./no/such/file").end()
			o.Stderr = ""
			return o
		}},
	}
}
