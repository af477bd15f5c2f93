package simcbc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const start = "2026-12-01T21:00:00Z"

// line is a line of the stream, decoded without any of our own types.
type line map[string]any

func (l line) is(typ, subtype string) bool {
	return l["type"] == typ && (subtype == "" || l["subtype"] == subtype)
}

// at follows keys into nested objects.
func (l line) at(keys ...string) any {
	var v any = map[string]any(l)
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

// agents gives the workflow_agent entries of a task_progress by index.
func (l line) agents() map[int]line {
	list, _ := l["workflow_progress"].([]any)
	agents := map[int]line{}
	for _, e := range list {
		if m := line(e.(map[string]any)); m["type"] == "workflow_agent" {
			agents[int(m["index"].(float64))] = m
		}
	}
	return agents
}

func decode(t *testing.T, out []byte) []line {
	t.Helper()
	var lines []line
	for raw := range bytes.Lines(out) {
		var l line
		if err := json.Unmarshal(raw, &l); err != nil || raw[len(raw)-1] != '\n' {
			t.Fatalf("not a JSON line: %v: %q", err, raw)
		}
		lines = append(lines, l)
	}
	return lines
}

// play runs the simulated CLI in print mode on a clock that jumps.
func play(t *testing.T, args ...string) ([]line, []byte) {
	t.Helper()
	args = append([]string{"-p", "go", "--output-format", "stream-json", "--verbose", "--sim-start", start, "--sim-seed", "7"}, args...)
	var stdout, stderr bytes.Buffer
	if code := Main(args, strings.NewReader(""), &stdout, &stderr, noenv); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit code %d, stderr %q", code, &stderr)
	}
	return decode(t, stdout.Bytes()), stdout.Bytes()
}

func noenv(string) string { return "" }

// final gives the newest snapshot of each task and the order of its messages' subtypes.
func final(lines []line) (snapshots map[string]map[int]line, order []string) {
	snapshots = map[string]map[int]line{}
	for _, l := range lines {
		id, _ := l["task_id"].(string)
		if l["workflow_progress"] != nil {
			snapshots[id] = l.agents()
		}
		if s, _ := l["subtype"].(string); strings.HasPrefix(s, "task_") {
			order = append(order, s)
		}
	}
	return snapshots, order
}
