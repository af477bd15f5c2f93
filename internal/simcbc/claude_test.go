package simcbc

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"cbc-otel/internal/testdata"
)

// kinds sorts the workflow messages of a stream, and the entries of their snapshots, into kinds that
// ought to have the same fields.
func kinds(lines []line, add func(kind string, fields map[string]string)) {
	for _, l := range lines {
		if l["tool_use_result"] != nil {
			if m, ok := l["tool_use_result"].(map[string]any); ok && m["taskType"] == "local_workflow" {
				addShape("tool_use_result", m, add)
			}
		}
		subtype, _ := l["subtype"].(string)
		if l["type"] != "system" || !strings.HasPrefix(subtype, "task_") {
			continue
		}
		if subtype == "task_started" && l["task_type"] != "local_workflow" {
			continue
		}
		outer := maps.Clone(l)
		delete(outer, "workflow_progress")
		kind := subtype
		if status, ok := l["status"].(string); ok {
			kind += " " + status
		} else if status, ok := l.at("patch", "status").(string); ok {
			kind += " " + status
		}
		addShape(kind, outer, add)
		for _, a := range l.agents() {
			kind := fmt.Sprintf("agent %v cached=%v started=%v", a["state"], a["cached"] != nil, a["startedAt"] != nil)
			addShape(kind, a, add)
		}
	}
}

func addShape(kind string, m map[string]any, add func(string, map[string]string)) {
	fields := map[string]string{}
	shape("", m, fields)
	add(kind, fields)
}

// always and ever are the fields that all, and that any messages of each kind have.
type fieldSets struct{ always, ever map[string]map[string]string }

func (s *fieldSets) add(kind string, fields map[string]string) {
	if s.ever == nil {
		s.always, s.ever = map[string]map[string]string{}, map[string]map[string]string{}
	}
	if s.ever[kind] == nil {
		s.always[kind], s.ever[kind] = maps.Clone(fields), map[string]string{}
	}
	maps.Copy(s.ever[kind], fields)
	maps.DeleteFunc(s.always[kind], func(f, typ string) bool { return fields[f] != typ })
}

// TestClaudeAsRecorded: of each kind of message, the simulated Claude Code sends every field that all
// recorded ones have, with its type, and none that no recorded one has.
func TestClaudeAsRecorded(t *testing.T) {
	t.Parallel()
	var recorded, simulated fieldSets
	for _, c := range testdata.Captures() {
		if strings.HasPrefix(c.Name, "latest-") || strings.HasPrefix(c.Name, "15b") {
			continue // another version; other tasks between
		}
		b, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		kinds(decode(t, b), recorded.add)
	}
	for _, s := range Scenarios() {
		for _, interrupt := range []string{"1h", "500ms"} {
			lines, _ := play(t, "--sim-flavour", "claude", "--sim-scenario", s, "--sim-interrupt-after", interrupt)
			kinds(lines, simulated.add)
		}
	}
	// Only three agents were recorded in progress, none with a tool or in a second attempt. What those that
	// are done have may show then too.
	maps.Copy(recorded.ever["agent progress cached=false started=true"], recorded.ever["agent done cached=false started=true"])
	for _, kind := range slices.Sorted(maps.Keys(simulated.ever)) {
		if recorded.ever[kind] == nil {
			t.Errorf("%s was never recorded", kind)
			continue
		}
		for f, typ := range simulated.ever[kind] {
			if recorded.ever[kind][f] != typ {
				t.Errorf("%s: %s (%s) was never recorded", kind, f, typ)
			}
		}
		for f, typ := range recorded.always[kind] {
			if simulated.always[kind][f] != typ {
				t.Errorf("%s: %s (%s) is missing from some", kind, f, typ)
			}
		}
	}
}
