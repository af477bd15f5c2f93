package golden

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/internal/spantree"
)

var update = flag.Bool("update", false, "write the trees that are not hand-written anew")

var errHandWritten = errors.New("hand-written: work out by hand what has to change, and why")

func treeFile(name string) string { return filepath.Join("testdata", "trees", name+".txt") }

// rewrite replaces a golden file, unless it is hand-written.
func rewrite(name, text string) error {
	if slices.Contains(handWritten, name) {
		return fmt.Errorf("%s: %w", treeFile(name), errHandWritten)
	}
	return os.WriteFile(treeFile(name), []byte(text), 0o644)
}

func TestTrees(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			trees, stats := replayed(t, read(t, g.stream), g.options())
			got := g.header(g.options(), stats) + spantree.Options{}.String(trees...)
			if *update && !slices.Contains(handWritten, g.name) {
				if err := rewrite(g.name, got); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(treeFile(g.name))
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the tree differs (-want +got):\n%s", cmp.Diff(lines(string(want)), lines(got)))
			}
			again, againStats := replayed(t, read(t, g.stream), g.options())
			if !reflect.DeepEqual(trees, again) {
				t.Errorf("replaying once more gives another tree:\n%s", cmp.Diff(trees, again))
			}
			if stats != againStats {
				t.Errorf("counted %+v, then %+v", stats, againStats)
			}
		})
	}
}

func lines(s string) []string { return strings.Split(s, "\n") }

func TestUpdateLeavesHandWrittenTreesAlone(t *testing.T) {
	t.Parallel()
	for _, name := range handWritten {
		before, err := os.ReadFile(treeFile(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := rewrite(name, "anything"); !errors.Is(err, errHandWritten) {
			t.Errorf("rewriting %s: got error %v", name, err)
		}
		after, err := os.ReadFile(treeFile(name))
		if err != nil {
			t.Fatal(err)
		}
		if string(before) != string(after) {
			t.Errorf("%s was changed", name)
		}
	}
}

// A tree whose case was renamed or removed would otherwise stay and check nothing.
func TestEveryTreeHasACase(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(treeFile("*"))
	if err != nil {
		t.Fatal(err)
	}
	all := goldens(t)
	for _, f := range files {
		if !slices.ContainsFunc(all, func(g golden) bool { return treeFile(g.name) == f }) {
			t.Errorf("%s belongs to no case", f)
		}
	}
	for _, name := range handWritten {
		if !slices.ContainsFunc(all, func(g golden) bool { return g.name == name }) {
			t.Errorf("hand-written %s is no case", name)
		}
	}
}
