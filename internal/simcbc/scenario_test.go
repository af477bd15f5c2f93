package simcbc

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

var flavours = []Flavour{CBC, Claude}

// outcomes of each scenario that ends by itself: status, and how many agents in which final state.
var outcomes = map[string]struct {
	status string
	states map[Flavour]map[string]int
}{
	"release-audit": {"completed", map[Flavour]map[string]int{CBC: {"done": 8, "cached": 1, "error": 1}, Claude: {"done": 8, "done cached": 1, "error": 1}}},
	"quick":         {"completed", map[Flavour]map[string]int{CBC: {"done": 3}, Claude: {"done": 3}}},
	"two":           {"completed", map[Flavour]map[string]int{CBC: {"done": 6}, Claude: {"done": 6}}},
	"fan-out":       {"completed", map[Flavour]map[string]int{CBC: {"done": 150}, Claude: {"done": 150}}},
	"pipeline":      {"completed", map[Flavour]map[string]int{CBC: {"done": 6}, Claude: {"done": 6}}},
	"retries":       {"completed", map[Flavour]map[string]int{CBC: {"done": 3}, Claude: {"done": 3}}},
	"nested":        {"completed", map[Flavour]map[string]int{CBC: {"done": 4}, Claude: {"done": 4}}},
	"no-phase":      {"completed", map[Flavour]map[string]int{CBC: {"done": 2}, Claude: {"done": 2}}},
	"throws":        {"failed", map[Flavour]map[string]int{CBC: {"done": 1, "error": 1}, Claude: {"done": 1, "start": 1}}},
	"all-failed":    {"completed", map[Flavour]map[string]int{CBC: {"error": 2}, Claude: {"error": 2}}},
	"empty":         {"completed", map[Flavour]map[string]int{CBC: {}, Claude: {}}},
	"none":          {"", map[Flavour]map[string]int{CBC: {}, Claude: {}}},
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	if got, want := Scenarios(), slices.Sorted(maps.Keys(outcomes)); !slices.Equal(got, want) {
		t.Fatalf("scenarios %v, tested %v", got, want)
	}
	for name, want := range outcomes {
		for _, f := range flavours {
			t.Run(fmt.Sprintf("%s/%s", name, f), func(t *testing.T) {
				t.Parallel()
				lines, _ := play(t, "--sim-flavour", string(f), "--sim-scenario", name)
				checkOrder(t, lines)
				states := map[string]int{}
				snapshots, _ := final(lines)
				for _, agents := range snapshots {
					for _, a := range agents {
						state := a["state"].(string)
						if a["cached"] == true {
							state += " cached"
						}
						states[state]++
					}
				}
				if !maps.Equal(states, want.states[f]) {
					t.Errorf("final states %v, want %v", states, want.states[f])
				}
				for _, l := range lines {
					if l.is("system", "task_notification") && l["status"] != want.status {
						t.Errorf("status %v, want %s", l["status"], want.status)
					}
				}
				if last := lines[len(lines)-1]; !last.is("result", "") {
					t.Errorf("last line is %v, want a result", last)
				}
			})
		}
	}
}

// checkOrder holds for every run that nobody interrupts: each task started before it moves, updated and
// notified once, in this order, and nothing after.
func checkOrder(t *testing.T, lines []line) {
	t.Helper()
	stage := map[string]string{}
	for i, l := range lines {
		id, ok := l["task_id"].(string)
		if !ok {
			continue
		}
		before := stage[id]
		now := l["subtype"].(string)
		allowed := map[string][]string{
			"task_started":      {""},
			"task_progress":     {"task_started", "task_progress"},
			"task_updated":      {"task_started", "task_progress"},
			"task_notification": {"task_updated"},
		}
		if !slices.Contains(allowed[now], before) {
			t.Errorf("line %d: %s after %q", i+1, now, before)
		}
		stage[id] = now
	}
	for id, s := range stage {
		if s != "task_notification" {
			t.Errorf("task %s ends with %s", id, s)
		}
	}
}

func TestConcurrencyLimit(t *testing.T) {
	t.Parallel()
	for _, f := range flavours {
		lines, _ := play(t, "--sim-flavour", string(f), "--sim-scenario", "fan-out", "--sim-agents", "20", "--sim-concurrency", "3")
		most := 0
		for _, l := range lines {
			running := 0
			for _, a := range l.agents() {
				if a["startedAt"] != nil && a["state"] != "done" {
					running++
				}
			}
			most = max(most, running)
		}
		if most != 3 {
			t.Errorf("%s: %d agents at a time, want 3", f, most)
		}
	}
}

// A retry shows in Claude's flavour as observed: done is taken back, the attempt counts, the label grows
// and the agent id changes, while startedAt stays.
func TestClaudeRetries(t *testing.T) {
	t.Parallel()
	lines, _ := play(t, "--sim-flavour", "claude", "--sim-scenario", "retries")
	var seen []string
	ids, starts := map[any]bool{}, map[any]bool{}
	for _, l := range lines {
		a, ok := l.agents()[2]
		if !ok || a["startedAt"] == nil {
			continue
		}
		ids[a["agentId"]], starts[a["startedAt"]] = true, true
		now := fmt.Sprintf("%v %v %v", a["label"], a["state"], a["attempt"])
		if len(seen) == 0 || seen[len(seen)-1] != now {
			seen = append(seen, now)
		}
	}
	want := []string{"throttled start 1", "throttled done 1", "throttled (throttle-retry) start 2", "throttled (throttle-retry) done 2"}
	if !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}
	if len(ids) != 2 || len(starts) != 1 {
		t.Errorf("%d agent ids and %d start times, want 2 and 1", len(ids), len(starts))
	}
}

func TestCBCAgentIDIsContentAddressed(t *testing.T) {
	t.Parallel()
	one, _ := play(t, "--sim-seed", "1")
	two, _ := play(t, "--sim-seed", "2")
	ids := func(lines []line) (ids []string) {
		snapshots, _ := final(lines)
		for _, agents := range snapshots {
			for i := range len(agents) {
				ids = append(ids, agents[i+1]["agentId"].(string))
			}
		}
		return ids
	}
	if !slices.Equal(ids(one), ids(two)) || !strings.HasPrefix(ids(one)[0], "v2:") {
		t.Errorf("ids differ between runs: %v, %v", ids(one), ids(two))
	}
}

func TestSeedDecidesTheStream(t *testing.T) {
	t.Parallel()
	for _, f := range flavours {
		_, a := play(t, "--sim-flavour", string(f))
		_, b := play(t, "--sim-flavour", string(f))
		_, c := play(t, "--sim-flavour", string(f), "--sim-seed", "8")
		if !bytes.Equal(a, b) {
			t.Errorf("%s: two runs with one seed differ", f)
		}
		if bytes.Equal(a, c) {
			t.Errorf("%s: another seed gives the same stream", f)
		}
	}
}

// The label that noPhase claims to be cut from its prompt is what the CLIs would cut.
func TestPromptLabel(t *testing.T) {
	t.Parallel()
	a := noPhase().agents[1]
	if want := strings.TrimSpace(a.prompt[:60]); a.label != want {
		t.Errorf("label %q, want %q", a.label, want)
	}
}

// A phase begins when those before it have ended, but in a pipeline each item goes on by itself.
func TestPhaseBarrier(t *testing.T) {
	t.Parallel()
	for scenario, overlap := range map[string]bool{"release-audit": false, "nested": false, "pipeline": true} {
		lines, _ := play(t, "--sim-scenario", scenario)
		snapshots, _ := final(lines)
		for _, agents := range snapshots {
			got := false
			for _, a := range agents {
				for _, b := range agents {
					got = got || a["phaseIndex"].(float64) < b["phaseIndex"].(float64) && a["endedAt"].(float64) > b["startedAt"].(float64)
				}
			}
			if got != overlap {
				t.Errorf("%s: phases overlap: %t, want %t", scenario, got, overlap)
			}
		}
	}
}
