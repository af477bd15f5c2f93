package simcbc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// testdata/protocol holds the JSON examples of the published protocol, comments and elisions ("178547...",
// "{...}") replaced by values.
func example(t *testing.T, name string) line {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "protocol", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var l line
	if err := json.Unmarshal(b, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// shape lists the paths of a value's fields with their JSON types. Entries of a list are told apart by
// their type field.
func shape(path string, v any, into map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		into[path] = "object"
		for k, e := range v {
			shape(path+"."+k, e, into)
		}
	case []any:
		into[path] = "array"
		for _, e := range v {
			sub := path + "[]"
			if m, ok := e.(map[string]any); ok {
				sub = fmt.Sprintf("%s[%v]", path, m["type"])
			}
			shape(sub, e, into)
		}
	default:
		into[path] = fmt.Sprintf("%T", v)
	}
}

// documented lists what the protocol's text names beyond its examples, and what cbc adds to every line.
var documented = map[string]string{
	".workflow_progress[workflow_agent].endedAt":       "float64",
	".workflow_progress[workflow_agent].tokens":        "float64",
	".workflow_progress[workflow_agent].resultPreview": "string",
	".workflow_progress[workflow_agent].error":         "string",
	".patch.error":       "string",
	".uuid":              "string",
	".session_id":        "string",
	".__timestamp":       "string",
	"._requestId":        "string",
	".response.response": "object",
}

// TestProtocolExamples: of each kind of message that the protocol has an example of, the simulated cbc
// sends all its fields with their types, and no field that the protocol does not name.
func TestProtocolExamples(t *testing.T) {
	t.Parallel()
	whole, _ := play(t, "--sim-scenario", "release-audit")
	failed, _ := play(t, "--sim-scenario", "throws")
	stopped, _ := play(t, "--sim-interrupt-after", "1s")
	sub := func(s string) func(line) bool { return func(l line) bool { return l.is("system", s) } }
	status := func(s, path, value string) func(line) bool {
		return func(l line) bool { return l.is("system", s) && l.at(strings.Split(path, ".")...) == value }
	}
	tests := []struct {
		example string
		lines   []line
		match   func(line) bool
	}{
		{"task_started", whole, sub("task_started")},
		{"task_progress", whole, sub("task_progress")},
		{"task_progress", failed, sub("task_progress")},
		{"task_progress", stopped, sub("task_progress")},
		{"task_updated", whole, sub("task_updated")},
		{"task_updated", failed, status("task_updated", "patch.status", "failed")},
		{"task_notification", whole, sub("task_notification")},
		{"task_notification", failed, status("task_notification", "status", "failed")},
		{"task_updated_killed", stopped, status("task_updated", "patch.status", "killed")},
		{"task_notification_stopped", stopped, status("task_notification", "status", "stopped")},
		{"control_response", stopped, func(l line) bool { return l.is("control_response", "") }},
	}
	for _, tt := range tests {
		t.Run(tt.example, func(t *testing.T) {
			t.Parallel()
			want := map[string]string{}
			shape("", map[string]any(example(t, tt.example)), want)
			n := 0
			for _, l := range tt.lines {
				if !tt.match(l) {
					continue
				}
				got := map[string]string{}
				shape("", map[string]any(l), got)
				if n++; n == 1 && tt.example == "task_progress" {
					continue // no agent has started yet
				}
				for path, typ := range want {
					if got[path] != typ {
						t.Errorf("%s is %q, the protocol's example has %s", path, got[path], typ)
					}
				}
				for path, typ := range got {
					if want[path] == "" && documented[path] != typ {
						t.Errorf("%s (%s) is not in the protocol", path, typ)
					}
				}
			}
			if n == 0 {
				t.Fatal("no such message")
			}
		})
	}
}

// Statuses, states and entry types are those of protocol sections 5.2 to 5.4.
func TestProtocolValues(t *testing.T) {
	t.Parallel()
	for _, scenario := range Scenarios() {
		lines, _ := play(t, "--sim-scenario", scenario)
		cut, _ := play(t, "--sim-scenario", scenario, "--sim-interrupt-after", "300ms")
		for _, l := range slices.Concat(lines, cut) {
			got := map[string]string{}
			switch {
			case l.is("system", "task_updated"):
				got[l.at("patch", "status").(string)] = "pending running paused completed failed killed"
			case l.is("system", "task_notification"):
				got[l["status"].(string)] = "completed failed stopped"
			case l.is("system", "task_progress"):
				for _, a := range l.agents() {
					got[a["state"].(string)] = "start done error cached"
				}
				for _, e := range l["workflow_progress"].([]any) {
					got[e.(map[string]any)["type"].(string)] = "workflow_phase workflow_agent"
				}
			}
			for value, allowed := range got {
				if !slices.Contains(strings.Fields(allowed), value) {
					t.Errorf("%s: %q, want one of %s", scenario, value, allowed)
				}
			}
		}
	}
}

// The examples of what goes to stdin are understood.
func TestProtocolStdin(t *testing.T) {
	t.Parallel()
	var in bytes.Buffer
	for _, name := range []string{"stdin_initialize", "stdin_user", "stdin_interrupt", "stdin_interrupt_reason"} {
		b, err := json.Marshal(example(t, name))
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(b, '\n'))
	}
	var out, stderr bytes.Buffer
	args := []string{"--input-format", "stream-json", "--output-format", "stream-json", "--permission-mode", "bypassPermissions", "--sim-seed", "7", "--sim-start", start}
	if code := Main(args, &in, &out, &stderr, noenv); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit code %d, stderr %q", code, &stderr)
	}
	acks := map[string]int{}
	for _, l := range decode(t, out.Bytes()) {
		if l.is("control_response", "") && l.at("response", "subtype") == "success" {
			acks[l.at("response", "request_id").(string)]++
		}
	}
	want := map[string]int{"init": 1, "stop-1": 1, "<client-chosen string>": 1}
	if !maps.Equal(acks, want) {
		t.Errorf("acknowledged %v, want %v", acks, want)
	}
	if !strings.Contains(out.String(), "canary@example.invalid") {
		t.Error("the answer to initialize has no canary")
	}
}
