package listing

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/internal/readable"
	"cbc-otel/internal/traces"
	"cbc-otel/mapping"
)

var update = flag.Bool("update", false, "rewrite the tables in testdata")

var rows = []traces.Summary{
	{Trace: mapping.TraceID{0x01, 0x23, 0x45, 0x67, 0x89, 0xab}, Start: time.Date(2026, 12, 2, 9, 30, 0, 0, time.UTC), Duration: 95 * time.Second, Command: "claude", Workflow: "代码审查 🚀 a name that is rather long for a workflow", Status: "running", Agents: 1000, Live: true},
	{Trace: mapping.TraceID{0xff}, Start: time.Date(2026, 12, 1, 23, 5, 0, 0, time.UTC), Duration: 2 * time.Hour, Command: "cbc", Workflow: "audit", Status: "failed", Agents: 12, Failed: 3, Tokens: 1234567, Known: true},
	{Start: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), Command: "x\x1b[2J\ny", Workflow: "::error::x", Status: "completed", Known: true},
}

func TestTable(t *testing.T) {
	t.Parallel()
	for name, width := range map[string]int{"all": 0, "60": 60, "80": 80, "160": 160} {
		got := Table(rows, Options{Width: width})
		path := "testdata/" + name + ".txt"
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s; -update rewrites it (-want +got)\n%s", path, diff)
		}
		for line := range strings.Lines(got) {
			if w := readable.Width(strings.TrimSuffix(line, "\n")); width > 0 && w > width {
				t.Errorf("%d columns, not %d: %s", w, width, line)
			}
		}
		coloured := Table(rows, Options{Width: width, Color: true})
		if stripped := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured, ""); stripped != got {
			t.Errorf("colours change more than that: %s", cmp.Diff(got, stripped))
		}
		if !strings.Contains(coloured, "\x1b[31mfailed") {
			t.Errorf("a failure is not red: %q", coloured)
		}
	}
	if Table(nil, Options{}) != "" {
		t.Error("no rows, but a table")
	}
}

func TestTimesAreLocal(t *testing.T) {
	t.Parallel()
	if got := Table(rows, Options{Location: time.FixedZone("", 8*3600)}); !strings.Contains(got, "2026-12-02 17:30") {
		t.Error(got)
	}
}
