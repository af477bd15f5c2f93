//go:build linux

package transparency

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// aCase is one row of the table.
type aCase struct {
	name string

	// play is run twice, bare and wrapped; what it returns must be the same.
	play func(s *scene) outcome

	// status is what the bare run must end with, so that two wrongs do not
	// make a right. Likewise shows: text the bare outcome must hold.
	status string
	shows  []string

	// differs is for a known difference (docs/transparency.md): it gets both
	// outcomes, checks that they differ as documented and makes them the same.
	differs func(t *testing.T, bare, wrapped *outcome)
}

func TestTransparency(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range table() {
		if seen[c.name] {
			t.Errorf("two cases are called %q", c.name)
		}
		seen[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bare := c.play(&scene{t: t, dir: t.TempDir()})
			check(t, c, bare)
			wrapped := c.play(&scene{t: t, dir: t.TempDir(), wrapped: true})
			if c.differs != nil {
				c.differs(t, &bare, &wrapped)
			}
			if diff := cmp.Diff(short(bare), short(wrapped)); diff != "" {
				t.Errorf("bare (-) and wrapped (+) differ:\n%s", diff)
			}
		})
	}
	if len(seen) < 60 {
		t.Errorf("%d cases", len(seen))
	}
}

// check sees that the case shows what it is meant to show.
func check(t *testing.T, c aCase, bare outcome) {
	t.Helper()
	if c.status == "" {
		t.Error("the case does not say how the bare command ends")
	}
	if bare.Status != c.status {
		t.Errorf("the bare command ends with %s, want %s: %+v", bare.Status, c.status, short(bare))
	}
	all := strings.Join(append(bare.Facts, bare.Stdout, bare.Stderr, bare.Report), "\n")
	for _, text := range c.shows {
		if !strings.Contains(all, text) {
			t.Errorf("the bare run does not show %q: %+v", text, short(bare))
		}
	}
}

// table is every case there is.
func table() []aCase {
	var all []aCase
	for _, some := range [][]aCase{
		bytesCases(), exitCases(), startCases(), signalCases(), stopCases(), terminalCases(),
		stdinCases(), stdoutCases(), grandchildCases(), inheritCases(), replaceCases(), shimCases(),
	} {
		all = append(all, some...)
	}
	return all
}

// simple plays a command to its end.
func simple(args ...string) func(*scene) outcome {
	return on(stage{}, args...)
}

// on plays a command to its end on a stage.
func on(st stage, args ...string) func(*scene) outcome {
	return func(s *scene) outcome { return s.start(st, args...).end() }
}

// agent is the command line of an agent with the verbs.
func agent(verbs ...string) []string { return append([]string{world.agent}, verbs...) }

// sh is the command line of a shell with a script; args are its $0, $1...
func sh(script string, args ...string) []string {
	return append([]string{"/bin/sh", "-c", script}, args...)
}
