package golden

import (
	"testing"
	"time"

	"cbc-otel/mapping"
)

// How the program ended is told by the workflows that it left without an end, and only by those.
func TestEndOfTheProgram(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		stream   string
		end      mapping.End
		status   string
		text     string
		exitCode any
	}{
		{"code", "16d-sigkill", mapping.End{Known: true, Code: 3}, "interrupted", "exit code 3", int64(3)},
		{"code 0", "16d-sigkill", mapping.End{Known: true}, "interrupted", "exit code 0", int64(0)},
		{"signal", "16d-sigkill", mapping.End{Known: true, Signal: "SIGKILL"}, "interrupted", "signal SIGKILL", nil},
		{"unknown", "16d-sigkill", mapping.End{}, "interrupted", "stream ended", nil},
		{"stopped by its notification", "16-sigterm", mapping.End{Known: true, Code: 143}, "stopped", "stopped", nil},
		{"completed before", "01-success", mapping.End{Known: true, Code: 1}, "completed", "", nil},
	}
	at := func(int) time.Time { return origin }
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			trees := live(read(t, test.stream), at, golden{}.options(), test.end)
			if len(trees) != 1 {
				t.Fatalf("%d trees", len(trees))
			}
			root := trees[0].Spans[0]
			if got := attribute(root, "cbc.workflow.status"); got != test.status {
				t.Errorf("status %v, want %s", got, test.status)
			}
			if root.Status.Description != test.text {
				t.Errorf("description %q, want %q", root.Status.Description, test.text)
			}
			if got := attribute(root, "process.exit.code"); got != test.exitCode {
				t.Errorf("exit code %v, want %v", got, test.exitCode)
			}
			for _, s := range trees[0].Spans {
				if attribute(s, "cbc.agent.state") == "cancelled" && s.Status.Error && s.Status.Description != test.text {
					t.Errorf("%s: description %q, want the workflow's %q", s.Name, s.Status.Description, test.text)
				}
			}
		})
	}
}
