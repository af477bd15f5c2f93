package cicontext

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tables writes the part of docs/ci.md that follows from systems.go.
func tables() string {
	var b strings.Builder
	for _, s := range Systems() {
		fmt.Fprintf(&b, "\n### %s\n\nin jobs with `%s`\n\n| attribute | from | how |\n| --- | --- | --- |\n", s.Name, s.Detect)
		for _, row := range s.Rows {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", row.Key, strings.Join(row.Templates, "`, else `"), row.Form)
		}
	}
	return b.String() + "\n"
}

func TestPageIsCommitted(t *testing.T) {
	t.Parallel()
	const path, begin, end = "../../docs/ci.md", "<!-- begin systems -->\n", "<!-- end systems -->"
	page := read(t, path)
	before, rest, ok := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no part for the systems", path)
	}
	want := before + begin + tables() + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, page); diff != "" {
		t.Errorf("%s does not follow systems.go; go test ./internal/cicontext -update\n%s", path, diff)
	}
	for _, a := range (Machine{Hostname: "h", OSRelease: "NAME=x\nVERSION_ID=1", Program: "p"}).Attributes() {
		if !strings.Contains(page, "`"+a.Key+"`") {
			t.Errorf("%s does not mention %s", path, a.Key)
		}
	}
}
