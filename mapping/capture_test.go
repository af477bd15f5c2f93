package mapping

import (
	"testing"

	"cbc-otel/internal/testdata"
)

// Each prefix (of a long one, every few) of each recorded stream gives closed trees with a span for each workflow that started, each agent index
// seen and each phase an agent is in.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	for _, c := range testdata.Captures() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			events := capture(t, c.Name)
			step := 1 + len(events)/30
			for k := len(events); k >= 0; k -= step {
				trees := run(Options{}, events[:k]...)
				want := countSpans(events[:k])
				got := map[string]int{}
				for _, tr := range trees {
					check(t, tr, Options{})
					for _, s := range tr.Spans {
						got[tr.TaskID+" "+string(s.Kind)]++
					}
				}
				if !equal(got, want) {
					t.Errorf("after %d events: %v, want %v", k, got, want)
				}
			}
		})
	}
}

// countSpans counts what a stream must give, in the plainest way. It holds for streams without late snapshots.
func countSpans(events []Event) map[string]int {
	type place struct {
		task  string
		index int64
	}
	workflows, phaseOf := map[string]bool{}, map[place]Number{}
	for _, ev := range events {
		switch {
		case ev.Kind == Started && ev.TaskType == "local_workflow":
			workflows[ev.TaskID] = true
		case ev.Kind == Progress && workflows[ev.TaskID]:
			for _, a := range ev.Agents {
				phaseOf[place{ev.TaskID, a.Index}] = a.PhaseIndex
			}
		}
	}
	all := map[string]int{}
	for task := range workflows {
		all[task+" workflow"]++
	}
	phases := map[place]bool{}
	for p, phase := range phaseOf {
		all[p.task+" agent"]++
		if phase.Valid && !phases[place{p.task, phase.Value}] {
			phases[place{p.task, phase.Value}] = true
			all[p.task+" phase"]++
		}
	}
	return all
}

// What the recorded runs are there for, in one line each.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for name, wants := range map[string][]map[string]any{
		"01-success":              {{KeyWorkflowStatus: "completed", KeyRunID: "wf_3f2af082-4bf", KeyUsageTokens: 7533}},
		"02-interrupt":            {{KeyWorkflowStatus: "stopped", PrefixWorkflowAgents + "cancelled": 4, PrefixWorkflowAgents + "done": 1}},
		"03-stop-task":            {{KeyWorkflowStatus: "stopped"}},
		"04-script-throws":        {{KeyWorkflowStatus: "failed", KeyErrorType: "workflow_failed"}},
		"05-agent-error-uncaught": {{KeyWorkflowStatus: "failed", PrefixWorkflowAgents + "error": 3}},
		"06-two-concurrent":       {{KeyWorkflowStatus: "completed"}, {KeyWorkflowStatus: "completed"}},
		"07-nested":               {{KeyWorkflowPhases: []string{"Gather", "Sub", "End", "▸ child-wf", "▸ child-wf #2"}, PrefixWorkflowAgents + "total": 9}},
		"08-resume":               {{PrefixWorkflowAgents + "cached": 0}, {PrefixWorkflowAgents + "cached": 4}, {PrefixWorkflowAgents + "cached": 3, PrefixWorkflowAgents + "done": 1}},
		"10b-zero-nothing":        {{KeyWorkflowStatus: "completed", PrefixWorkflowAgents + "total": 0}},
		"13c-throttle-retry":      {{PrefixWorkflowAgents + "done": 1, PrefixWorkflowAgents + "total": 1, KeyUsageTokens: 3008}},
		"16-sigterm":              {{KeyWorkflowStatus: "stopped"}},
		"16c-resume-session":      {{KeyWorkflowStatus: "interrupted", KeyTaskID: "w11mewfea"}},
		"16d-sigkill":             {{KeyWorkflowStatus: "interrupted", KeyErrorType: "interrupted"}},
		"26-compile-error":        {},
		"32-clear-midrun":         {{KeyWorkflowStatus: "completed", KeyConversation: "4404fa5f-70b4-439c-b897-3895f4e47fc6"}},
		"latest-02-interrupt":     {{KeyWorkflowStatus: "stopped", PrefixWorkflowAgents + "cancelled": 4, PrefixWorkflowAgents + "error": 0}},
		"latest-14-schema":        {{PrefixWorkflowAgents + "done": 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trees := run(Options{}, capture(t, name)...)
			if len(trees) != len(wants) {
				t.Fatalf("%d trees, want %d", len(trees), len(wants))
			}
			for i, want := range wants {
				wantAttrs(t, root(trees[i]), want)
			}
		})
	}
}
