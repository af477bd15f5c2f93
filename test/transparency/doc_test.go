//go:build linux

package transparency

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestKnownDifferences holds docs/transparency.md against the table: every
// case it names exists, and every case that differs is named.
func TestKnownDifferences(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/transparency.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, match := range regexp.MustCompile(`"([^"\n]+)"`).FindAllSubmatch(b, -1) {
		named = append(named, string(match[1]))
	}
	var names []string
	for _, c := range table() {
		names = append(names, c.name)
		if c.differs != nil && !slices.Contains(named, c.name) {
			t.Errorf("case %q differs, which docs/transparency.md does not say", c.name)
		}
	}
	for _, name := range named {
		if !slices.Contains(names, name) {
			t.Errorf("docs/transparency.md names a case %q, which there is not", name)
		}
	}
}
