//go:build linux

package transparency

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// ignoredByStarter returns which signals this process ignores, having been started so.
func ignoredByStarter() (mask uint64) {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "SigIgn:\t%x", &mask)
	}
	return mask
}

// inheritCases are about what the command is given. The signal state is read
// by grep from the kernel: a Go program has changed its own.
func inheritCases() []aCase {
	state := func(given string, flags ...string) func(*scene) outcome {
		return on(stage{given: given, flags: flags}, "/bin/grep", "-E", "^Sig(Blk|Ign|Cgt)", "/proc/self/status")
	}
	// make, for one, leaves signals 32 and 33 ignored, which belong to the C library.
	starter := ignoredByStarter() &^ (1<<31 - 1)
	ignored := func(list ...syscall.Signal) string {
		mask := starter
		for _, sig := range list {
			mask |= 1 << (sig - 1)
		}
		return fmt.Sprintf("SigIgn:\t%016x", mask)
	}
	const some = "-TERM,-USR1,-USR2,-ALRM,-WINCH,-TSTP,-TTOU"
	never := "--tap=never" // replaces the wrapper
	return []aCase{
		{name: "arguments", status: "exit 0", shows: []string{`"" "--" "--exporter"`}, play: simple(
			agent("argv", "", "--", "--exporter", "file", "a b", "line\nbreak", "\xff\xfe", "ü", "*", "$HOME", "'")...)},
		{name: "environment", status: "exit 0", shows: []string{`"X=1"`, `"X=2"`, `"noequals"`, `"=odd"`, `"EMPTY="`}, play: func(s *scene) outcome {
			return s.start(stage{env: []string{"X=1", "X=2", "noequals", "=odd", "EMPTY=", "BAD=\xff", "LINE=a\nb"}}, agent("env")...).end()
		}},
		{name: "an empty environment", status: "exit 0", play: on(stage{before: []string{"/usr/bin/env", "-i"}}, "/bin/cat", "/proc/self/environ")},
		{name: "working directory", status: "exit 0", shows: []string{"cwd DIR"}, play: simple(agent("cwd")...)},
		{name: "limits and umask", status: "exit 0", shows: []string{"0027"},
			play: on(stage{before: sh(`umask 027; ulimit -n 123; ulimit -S -n 99; ulimit -c 0; exec "$0" "$@"`)}, sh(`umask; cat /proc/self/limits`)...)},
		{name: "nice and scheduling", status: "exit 0", shows: []string{"7"},
			play: on(stage{before: []string{"/usr/bin/nice", "-n", "7"}}, "/usr/bin/nice")},
		{name: "isatty of pipes", status: "exit 0", shows: []string{"tty false false false"}, play: simple(agent("tty")...)},
		{name: "descriptors", status: "exit 0", shows: []string{"0\n", "3\n", "4\n", "7\n"},
			play: on(stage{before: sh(`exec 7</dev/null; exec "$0" "$@"`)}, sh(`ls /proc/$$/fd`)...)},
		{name: "many descriptors", status: "exit 0", shows: []string{"5\n", "6\n", "8\n", "9\n"},
			play: on(stage{before: sh(`exec 5</dev/null 6</dev/null 8</dev/null 9>/dev/null; exec "$0" "$@"`)}, sh(`ls /proc/$$/fd`)...)},
		{name: "an inherited descriptor works", status: "exit 0", shows: []string{"through 7"}, play: func(s *scene) outcome {
			s.file("input", "through 7\n", 0o644)
			return s.start(stage{before: sh(`exec 7<input; exec "$0" "$@"`)}, sh(`cat <&7`)...).end()
		}},
		{name: "signals, nothing special", status: "exit 0", shows: []string{ignored()}, play: state("")},
		{name: "signals, PIPE ignored", status: "exit 0", shows: []string{ignored(syscall.SIGPIPE)}, play: state("-PIPE")},
		{name: "signals, HUP ignored", status: "exit 0", shows: []string{ignored(syscall.SIGHUP)}, play: state("-HUP")},
		{name: "signals, INT and QUIT ignored", status: "exit 0", shows: []string{ignored(syscall.SIGINT, syscall.SIGQUIT)}, play: state("-INT,-QUIT")},
		{name: "signals, others ignored", status: "exit 0", shows: []string{ignored(syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGTTOU)},
			play: state(some)},
		{name: "signals, CHLD and URG ignored", status: "exit 0", shows: []string{ignored(syscall.SIGCHLD, syscall.SIGURG)}, play: state("-CHLD,-URG")},
		{name: "signals, some blocked", status: "exit 0", shows: []string{"SigBlk:\t0000000000014a03"}, play: state("+HUP,+INT,+USR1,+USR2,+TERM,+CHLD")},
		{name: "signals, ignored and blocked, replaced", status: "exit 0",
			shows: []string{ignored(syscall.SIGINT, syscall.SIGTERM, syscall.SIGPIPE, syscall.SIGCHLD), "SigBlk:\t0000000000014a00"},
			play:  state("-INT,-TERM,-PIPE,-CHLD,+USR1,+USR2,+TERM,+CHLD", never)},
		{name: "signals, a background job of a script", status: "exit 0", shows: []string{ignored(syscall.SIGINT, syscall.SIGQUIT)},
			play: on(stage{before: sh(`"$0" "$@" & wait $!`)}, "/bin/grep", "-E", "^Sig(Blk|Ign|Cgt)", "/proc/self/status")},
		{name: "CHLD ignored, the exit is known all the same", status: "exit 7",
			play: on(stage{given: "-CHLD"}, sh(`exit 7`)...)},
		{name: "no file is left behind", status: "exit 0", play: func(s *scene) outcome {
			o := s.start(stage{}, agent("blob:100000")...).end()
			entries, err := os.ReadDir(s.dir)
			if err != nil {
				s.t.Fatal(err)
			}
			for _, e := range entries {
				o.Facts = append(o.Facts, e.Name())
			}
			return o
		}},
		{name: "process group and death signal", status: "exit 0", shows: []string{"own group false, dies with parent false"},
			// A session of its own makes the bare command the leader; run it
			// in a shell's group.
			play: on(stage{before: sh(`"$0" "$@"; exit $?`)}, agent("ties")...),
			differs: func(t *testing.T, bare, wrapped *outcome) {
				const ties = "own group true, dies with parent true"
				if !strings.Contains(wrapped.Report, ties) {
					t.Errorf("wrapped: %q", wrapped.Report)
				}
				bare.Report = strings.Replace(bare.Report, "own group false, dies with parent false", ties, 1)
			}},
	}
}
