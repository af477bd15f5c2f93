package mapping

import (
	"testing"
	"time"
)

func TestWorkflowStatus(t *testing.T) {
	t.Parallel()
	failedPatch := updated(90, "failed", 90)
	failedPatch.Error = "Error: boom\n    at workflow.js:7"
	for name, test := range map[string]struct {
		events               []Event
		end                  End
		status, kind, detail string
	}{
		"completed": {
			[]Event{snapshot(10, done(1, 1, 9)), updated(90, "completed", 90), notified(91, "completed")}, End{},
			"completed", "", "",
		},
		"completed without agents": {
			[]Event{notified(91, "completed")}, End{},
			"completed", "", "",
		},
		"completed, one of two failed": {
			[]Event{snapshot(10, done(1, 1, 9), errored(2, 1, 9, "x")), notified(91, "completed")}, End{},
			"completed", "", "",
		},
		"completed, all failed": {
			[]Event{snapshot(10, errored(1, 1, 9, "x"), errored(2, 1, 9, "x")), notified(91, "completed")}, End{},
			"completed", "all_agents_failed", "2 of 2 agents failed",
		},
		"completed, all cached": {
			[]Event{snapshot(10, Agent{Index: 1, State: "cached"}), notified(91, "completed")}, End{},
			"completed", "", "",
		},
		"failed": {
			[]Event{failedPatch, notified(91, "failed")}, End{},
			"failed", "workflow_failed", "Error: boom",
		},
		"failed without an error": {
			[]Event{notified(91, "failed")}, End{},
			"failed", "workflow_failed", "failed",
		},
		"failed, all agents too": {
			[]Event{snapshot(10, errored(1, 1, 9, "x")), notified(91, "failed")}, End{},
			"failed", "workflow_failed", "failed",
		},
		"stopped": {
			[]Event{updated(90, "killed", 90), notified(91, "stopped")}, End{},
			"stopped", "cancelled", "stopped",
		},
		"killed in the notification": {
			[]Event{notified(91, "killed")}, End{},
			"stopped", "cancelled", "stopped",
		},
		"the notification decides over the patch": {
			[]Event{updated(90, "killed", 90), notified(91, "completed")}, End{},
			"completed", "", "",
		},
		"the patch decides when the notification says nothing known": {
			[]Event{failedPatch, notified(91, "withered")}, End{},
			"failed", "workflow_failed", "Error: boom",
		},
		"an end of an unknown kind is no success": {
			[]Event{notified(91, "withered")}, End{},
			"stopped", "cancelled", "stopped",
		},
		"only the first notification counts": {
			[]Event{snapshot(10, running(1, 1)), notified(91, "completed"), notified(92, "failed")}, End{},
			"completed", "", "",
		},
		"EOF, exit code": {
			[]Event{updated(20, "running", 0)}, End{Known: true, Code: 7},
			"interrupted", "interrupted", "exit code 7",
		},
		"EOF, exit code 0": {
			nil, End{Known: true},
			"interrupted", "interrupted", "exit code 0",
		},
		"EOF, signal": {
			nil, End{Known: true, Signal: "SIGKILL", Code: 137},
			"interrupted", "interrupted", "signal SIGKILL",
		},
		"EOF, no more known": {
			nil, End{},
			"interrupted", "interrupted", "stream ended",
		},
		"EOF after a terminal patch: killed": {
			[]Event{updated(90, "killed", 90)}, End{Known: true, Signal: "SIGTERM"},
			"stopped", "cancelled", "stopped",
		},
		"EOF after a terminal patch: failed": {
			[]Event{failedPatch}, End{Known: true, Code: 1},
			"failed", "workflow_failed", "Error: boom",
		},
		"EOF after a terminal patch: completed": {
			[]Event{updated(90, "completed", 90)}, End{Known: true, Code: 1},
			"completed", "", "",
		},
		"EOF after paused": {
			[]Event{updated(90, "paused", 90)}, End{Known: true, Code: 1},
			"interrupted", "interrupted", "exit code 1",
		},
		"EOF in the grace period": {
			[]Event{snapshot(10, running(1, 1)), notified(91, "stopped")}, End{Known: true, Code: 1},
			"stopped", "cancelled", "stopped",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := New(Options{Grace: 1e9})
			trees := m.Observe(started(0))
			for _, ev := range test.events {
				trees = append(trees, m.Observe(ev)...)
			}
			test.end.At = at(99)
			trees = append(trees, m.Close(test.end)...)
			if len(trees) != 1 {
				t.Fatalf("%d trees", len(trees))
			}
			s := root(trees[0])
			wantStatus(t, s, test.kind, test.detail)
			wantAttrs(t, s, map[string]any{KeyWorkflowStatus: test.status})
			code, exit := attr(s, KeyExitCode), test.end.Known && test.end.Signal == "" && test.status == "interrupted"
			if exit && code != int64(test.end.Code) || !exit && code != nil {
				t.Errorf("exit code %v", code)
			}
		})
	}
}

func TestPhaseStatus(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		agents       []Agent
		kind, detail string
	}{
		"done":                           {[]Agent{done(1, 1, 2)}, "", ""},
		"one failed":                     {[]Agent{done(1, 1, 2), errored(2, 1, 2, "x"), running(3, 1)}, "agent_failed", "1 of 3 agents failed"},
		"one cancelled":                  {[]Agent{done(1, 1, 2), running(2, 1)}, "cancelled", "cancelled"},
		"one cancelled that never began": {[]Agent{done(1, 1, 2), queued(2, 1)}, "", ""},
		"cached":                         {[]Agent{{Index: 1, State: "cached"}}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range test.agents {
				test.agents[i] = inPhase(1, "Gather", test.agents[i])
			}
			tr := single(t, Options{}, started(0), snapshot(5, test.agents...), notified(9, "stopped"))
			wantStatus(t, phaseSpan(t, tr, 1), test.kind, test.detail)
		})
	}
}

func TestAgentStatus(t *testing.T) {
	t.Parallel()
	with := func(a Agent, run, text string) Agent {
		a.EndedWithRun, a.Error = run, text
		return a
	}
	busy := Agent{Index: 1, State: "progress", QueuedAt: at(1)}
	for name, test := range map[string]struct {
		agent               Agent
		end                 string // of the workflow
		state, kind, detail string
	}{
		"done":                   {done(1, 1, 2), "completed", "done", "", ""},
		"done in a stopped one":  {done(1, 1, 2), "stopped", "done", "", ""},
		"cached":                 {Agent{Index: 1, State: "cached"}, "completed", "cached", "", ""},
		"done and cached: true":  {Agent{Index: 1, State: "done", Cached: true}, "stopped", "cached", "", ""},
		"error and cached: true": {Agent{Index: 1, State: "error", Cached: true}, "stopped", "error", "_OTHER", ""},

		"error":                {errored(1, 1, 2, "no such file\nat x"), "completed", "error", "_OTHER", "no such file"},
		"error without text":   {errored(1, 1, 2, ""), "completed", "error", "_OTHER", ""},
		"error, never started": {Agent{Index: 1, State: "error", Error: "agent type 'x' not found"}, "failed", "error", "_OTHER", "agent type 'x' not found"},
		"HTTP status":          {errored(1, 1, 2, "API Error: 529 overloaded"), "completed", "error", "529", "API Error: 529 overloaded"},
		"stalled":              {errored(1, 1, 2, "stalled — no progress for 800ms"), "stopped", "error", "timeout", "stalled — no progress for 800ms"},

		"ended with a stopped run":        {with(errored(1, 1, 2, ""), "stopped", "Stopped because\nx"), "stopped", "cancelled", "cancelled", "Stopped because"},
		"ended with a stopped run, mute":  {with(errored(1, 1, 2, ""), "stopped", ""), "stopped", "cancelled", "cancelled", "stopped"},
		"ended with a completed run":      {with(errored(1, 1, 2, ""), "completed", "x"), "completed", "unfinished", "", ""},
		"ended with a failed run":         {with(errored(1, 1, 2, ""), "failed", "gone"), "failed", "cancelled", "cancelled", "gone"},
		"ended with a run somehow":        {with(errored(1, 1, 2, ""), "withered", "gone"), "completed", "unfinished", "", ""},
		"ended with a stopped run before": {with(queued(1, 1), "stopped", "x"), "stopped", "cancelled", "", ""},
		"aborted":                         {errored(1, 1, 2, "subagent aborted: user cancel"), "stopped", "cancelled", "cancelled", "subagent aborted: user cancel"},
		"aborted but the run completed":   {errored(1, 1, 2, "subagent aborted: x"), "completed", "cancelled", "cancelled", "subagent aborted: x"},
		"an error that names an abortion": {errored(1, 1, 2, "the subagent aborted"), "stopped", "error", "_OTHER", "the subagent aborted"},

		"in flight when completed":   {running(1, 1), "completed", "unfinished", "", ""},
		"in flight when stopped":     {running(1, 1), "stopped", "cancelled", "cancelled", "stopped"},
		"in flight when failed":      {running(1, 1), "failed", "cancelled", "cancelled", "failed"},
		"in flight when interrupted": {running(1, 1), "", "cancelled", "cancelled", "stream ended"},
		"queued when stopped":        {queued(1, 1), "stopped", "cancelled", "", ""},
		"queued when completed":      {queued(1, 1), "completed", "unfinished", "", ""},
		"queued when interrupted":    {queued(1, 1), "", "cancelled", "", ""},
		"in an unknown state":        {Agent{Index: 1, State: "pondering", StartedAt: at(1)}, "stopped", "cancelled", "cancelled", "stopped"},
		"without a state":            {Agent{Index: 1}, "completed", "unfinished", "", ""},
		"in progress, no start seen": {busy, "stopped", "cancelled", "cancelled", "stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := []Event{started(0), snapshot(5, test.agent)}
			if test.end != "" {
				events = append(events, notified(9, test.end))
			}
			tr := single(t, Options{}, events...)
			s := agentSpan(t, tr, 1)
			wantAttrs(t, s, map[string]any{KeyAgentState: test.state})
			wantStatus(t, s, test.kind, test.detail)
			wantAttrs(t, root(tr), map[string]any{
				PrefixWorkflowAgents + "total":    1,
				PrefixWorkflowAgents + test.state: 1,
			})
		})
	}
}

func TestAgentStarted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		agent Agent
		want  bool
	}{
		"started":               {running(1, 1), true},
		"queued":                {queued(1, 1), false},
		"done, start unknown":   {Agent{Index: 1, State: "done"}, true},
		"start is 0":            {Agent{Index: 1, State: "error", StartedAt: time.UnixMilli(0)}, false},
		"cached, never run":     {Agent{Index: 1, State: "cached"}, false},
		"cached with its start": {Agent{Index: 1, State: "cached", StartedAt: at(1)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := single(t, Options{}, started(0), snapshot(5, test.agent), notified(9, "stopped"))
			wantAttrs(t, agentSpan(t, tr, 1), map[string]any{KeyAgentStarted: test.want})
		})
	}
}

func TestErrorType(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"API Error: 400 synthetic failure":          "400",
		"Error: API Error: 503":                     "503",
		"API Error: 504 gateway timeout":            "504",
		"API Error: 101 x":                          "101",
		"API Error: 599":                            "599",
		"API Error: 600":                            "_OTHER",
		"API Error: 099":                            "_OTHER",
		"API Error: 5033":                           "_OTHER",
		"API Error: 12":                             "_OTHER",
		"API Error: 999 no such status":             "_OTHER",
		"API Error: unknown, then API Error: 429 x": "429",
		"Request timed out":                         "timeout",
		"Connect Timeout Error":                     "timeout",
		"Stalled for 800ms":                         "timeout",
		"it stalled":                                "_OTHER",
		"first line\ntimed out":                     "timeout",
		"":                                          "_OTHER",
	} {
		if got := errorType(text); got != want {
			t.Errorf("errorType(%q) = %q, want %q", text, got, want)
		}
	}
}
