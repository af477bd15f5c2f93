package config

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tables of docs/configuration.md stand between <!-- begin NAME --> and <!-- end NAME -->.
func TestReferenceIsCommitted(t *testing.T) {
	t.Parallel()
	const path = "../docs/configuration.md"
	page := read(t, path)
	want := page
	for name, part := range Reference() {
		begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
		before, rest, ok := strings.Cut(want, begin)
		_, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("%s has no part %s", path, name)
		}
		want = before + begin + part + end + after
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, page); diff != "" {
		t.Errorf("%s does not follow the table; go test ./config -update\n%s", path, diff)
	}
}
