package mapping

import (
	"strconv"
	"testing"
	"time"
)

func TestAgentAttributes(t *testing.T) {
	t.Parallel()
	full := Agent{
		Index: 3, ID: "v2:abc", Label: "gather:alpha", State: "done", PhaseIndex: n(1), PhaseTitle: "Gather",
		Model: "m-1", FallbackModel: "m-0", Type: "Explore", LastTool: "Bash", QueuedAt: at(10), StartedAt: at(35), LastProgressAt: at(60),
		Attempt: n(1), Tokens: n(1500), ToolCalls: n(2), DurationMS: n(20),
	}
	tr := single(t, Options{}, started(0), snapshot(61, full, Agent{Index: 4, State: "done"}), notified(70, "completed"))
	s := agentSpan(t, tr, 3)
	if s.Name != "invoke_agent gather:alpha" {
		t.Errorf("name %q", s.Name)
	}
	wantAttrs(t, s, map[string]any{
		"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "gather:alpha", "gen_ai.conversation.id": "s1",
		"gen_ai.workflow.name": "audit", "gen_ai.request.model": "m-1", "cbc.agent.id": "v2:abc", "cbc.agent.index": 3,
		"cbc.agent.state": "done", "cbc.agent.started": true, "cbc.agent.attempt": 1, "cbc.agent.type": "Explore",
		"cbc.agent.tokens": 1500, "cbc.agent.tool_calls": 2, "cbc.agent.queue_ms": 25, "cbc.agent.active_ms": 20,
		"cbc.agent.last_tool": "Bash", "cbc.agent.fallback_model": "m-0",
	})
	if len(s.Attributes) != 17 {
		t.Errorf("%d attributes", len(s.Attributes))
	}
	// What was not sent gives no attribute: no empty name, no count of 0.
	if s := agentSpan(t, tr, 4); len(s.Attributes) != 7 || s.Name != "invoke_agent" || attr(s, KeyAgentName) != "agent-4" {
		t.Errorf("%q %+v", s.Name, s.Attributes)
	}
}

func TestWorkflowAttributes(t *testing.T) {
	t.Parallel()
	begin := started(0)
	begin.ToolUseID = "toolu_1"
	end := notified(70, "completed")
	end.Usage = Usage{TotalTokens: n(30), ToolUses: n(0), DurationMS: n(60)}
	tr := single(t, Options{}, begin,
		Event{Kind: Launched, Received: at(1), TaskID: "t1", RunID: "wf_1"},
		Event{Kind: Progress, Received: at(2), TaskID: "t1", Phases: []Phase{{Index: 2, Title: "Write"}, {Index: 1, Title: "Gather"}, {Index: 3, Title: "▸ child", Kind: "child"}, {Index: 4}}},
		snapshot(3, done(1, 1, 2), inPhase(3, "other", errored(2, 1, 2, "x")), Agent{Index: 3, State: "cached"}), end)
	s := root(tr)
	if s.Name != "invoke_workflow audit" || s.Kind != WorkflowSpan {
		t.Errorf("name %q", s.Name)
	}
	wantAttrs(t, s, map[string]any{
		"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "audit", "gen_ai.conversation.id": "s1",
		"cbc.task.id": "t1", "cbc.tool_use.id": "toolu_1", "workflow.run_id": "wf_1", "cbc.workflow.status": "completed",
		"cbc.workflow.phases":       []string{"Gather", "Write", "▸ child"},
		"cbc.workflow.agents.total": 3, "cbc.workflow.agents.done": 1, "cbc.workflow.agents.error": 1, "cbc.workflow.agents.cached": 1,
		"cbc.workflow.agents.cancelled": 0, "cbc.workflow.agents.unfinished": 0,
		"cbc.usage.total_tokens": 30, "cbc.usage.tool_uses": 0, "cbc.usage.duration_ms": 60,
	})
	if len(s.Attributes) != 17 {
		t.Errorf("%d attributes", len(s.Attributes))
	}
	p := phaseSpan(t, tr, 3)
	if p.Name != "phase ▸ child" {
		t.Errorf("name %q", p.Name)
	}
	wantAttrs(t, p, map[string]any{
		"cbc.phase.title": "▸ child", "cbc.phase.kind": "child", "cbc.phase.agents.total": 1, "cbc.phase.agents.error": 1,
		"cbc.phase.agents.done": 0, "cbc.phase.tokens": nil,
	})
	if len(tr.Spans) != 5 {
		t.Errorf("%d spans: a phase without agents has one?", len(tr.Spans))
	}

	bare := single(t, Options{}, Event{Kind: Started, TaskID: "t1", TaskType: "local_workflow"})
	if s := root(bare); s.Name != "invoke_workflow" || attr(s, KeyWorkflowName) != nil || attr(s, KeyConversation) != nil ||
		attr(s, KeyWorkflowPhases) != nil || attr(s, KeyUsageTokens) != nil {
		t.Errorf("%q %+v", s.Name, s.Attributes)
	}
}

// The newest usage is reported, field by field: a stopped run's notification has none.
func TestUsage(t *testing.T) {
	t.Parallel()
	snap := snapshot(5)
	snap.Usage = Usage{TotalTokens: n(10), ToolUses: n(2), DurationMS: n(4)}
	end := notified(9, "stopped")
	end.Usage = Usage{TotalTokens: n(-1), DurationMS: n(6)}
	tr := single(t, Options{}, started(0), snap, snapshot(6), end)
	wantAttrs(t, root(tr), map[string]any{KeyUsageTokens: 10, KeyUsageToolUses: 2, KeyUsageDuration: 6})
}

func TestTokens(t *testing.T) {
	t.Parallel()
	tokens := func(index int64, c Number) Agent {
		a := inPhase(1, "P", done(index, 1, 2))
		a.Tokens = c
		return a
	}
	for name, test := range map[string]struct {
		agents []Agent
		want   any
	}{
		"missing is not 0": {[]Agent{tokens(1, Number{})}, nil},
		"0":                {[]Agent{tokens(1, n(0))}, 0},
		"some missing":     {[]Agent{tokens(1, n(5)), tokens(2, Number{}), tokens(3, n(7))}, 12},
		"negative":         {[]Agent{tokens(1, n(-5))}, nil},
		"more than fits":   {[]Agent{tokens(1, n(1<<62)), tokens(2, n(1<<62)), tokens(3, n(1<<62))}, 1<<63 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := single(t, Options{}, started(0), snapshot(5, test.agents...), notified(9, "completed"))
			wantAttrs(t, phaseSpan(t, tr, 1), map[string]any{KeyPhaseTokens: test.want})
			if c := test.agents[0].Tokens; !c.Valid || c.Value < 0 {
				wantAttrs(t, agentSpan(t, tr, 1), map[string]any{KeyAgentTokens: nil})
			}
		})
	}
}

func TestQueueTime(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		queued, started time.Time
		want            any
	}{
		"waited":           {at(1), at(6), 5},
		"not at all":       {at(1), at(1), 0},
		"never started":    {at(1), time.Time{}, nil},
		"never queued":     {time.Time{}, at(1), nil},
		"before its queue": {at(6), at(1), nil},
	} {
		tr := single(t, Options{}, started(0), snapshot(9, Agent{Index: 1, State: "done", QueuedAt: test.queued, StartedAt: test.started}), notified(9, "completed"))
		if got := attr(agentSpan(t, tr, 1), KeyAgentQueue); got != toInt64(test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func toInt64(v any) any {
	if i, ok := v.(int); ok {
		return int64(i)
	}
	return v
}

func TestSnapshotsReplace(t *testing.T) {
	t.Parallel()
	first := done(1, 1, 2)
	first.Model, first.Tokens, first.ID = "m-1", n(5), "a1"
	tr := single(t, Options{}, started(0), snapshot(3, first),
		snapshot(4, Agent{Index: 1, State: "error", Error: "x"}), notified(9, "completed"))
	s := agentSpan(t, tr, 1)
	wantAttrs(t, s, map[string]any{KeyAgentState: "error", KeyModel: nil, KeyAgentTokens: nil, KeyAgentID: nil, KeyAgentName: "agent-1", KeyAgentStarted: false})
	wantTimes(t, s, 3, 3) // when first seen, when first seen ended
}

// Entries that are missing, and snapshots without any, change nothing.
func TestMissingIsUnchanged(t *testing.T) {
	t.Parallel()
	tr := single(t, Options{}, started(0), snapshot(3, done(1, 1, 2), running(2, 1)), snapshot(4), snapshot(5, done(2, 1, 5)), notified(9, "completed"))
	wantAttrs(t, root(tr), map[string]any{PrefixWorkflowAgents + "done": 2, PrefixWorkflowAgents + "total": 2})
}

func TestRepeatedLines(t *testing.T) {
	t.Parallel()
	events := []Event{started(0), snapshot(3, inPhase(1, "P", running(1, 1))), snapshot(4, inPhase(1, "P", done(1, 1, 4))), updated(5, "completed", 5), notified(5, "completed")}
	var twice []Event
	for _, ev := range events {
		twice = append(twice, ev)
		if ev.Kind != Updated { // each one is an event on the span
			twice = append(twice, ev)
		}
	}
	if a, b := single(t, Options{}, events...), single(t, Options{}, twice...); !equal(a, b) {
		t.Errorf("repeated lines made a difference:\n%+v\n%+v", a, b)
	}
}

func TestIdentityIsTheIndex(t *testing.T) {
	t.Parallel()
	named := func(a Agent, id, label string) Agent {
		a.ID, a.Label = id, label
		return a
	}
	t.Run("a shared agentId", func(t *testing.T) {
		t.Parallel()
		tr := single(t, Options{}, started(0), snapshot(3, named(done(1, 1, 2), "v2:same", "a"), named(errored(2, 1, 2, "x"), "v2:same", "a")), notified(9, "completed"))
		wantAttrs(t, root(tr), map[string]any{PrefixWorkflowAgents + "total": 2})
		wantAttrs(t, agentSpan(t, tr, 1), map[string]any{KeyAgentState: "done"})
		wantAttrs(t, agentSpan(t, tr, 2), map[string]any{KeyAgentState: "error"})
	})
	t.Run("a changed agentId and label", func(t *testing.T) {
		t.Parallel()
		tr := single(t, Options{}, started(0), snapshot(3, named(running(1, 1), "a1", "x")), snapshot(4, named(done(1, 1, 4), "a2", "y")), notified(9, "completed"))
		wantAttrs(t, root(tr), map[string]any{PrefixWorkflowAgents + "total": 1})
		wantAttrs(t, agentSpan(t, tr, 1), map[string]any{KeyAgentID: "a2", KeyAgentName: "y"})
	})
	t.Run("an index twice in a snapshot", func(t *testing.T) {
		t.Parallel()
		tr := single(t, Options{}, started(0), snapshot(3, running(1, 1), done(1, 1, 2)), notified(9, "completed"))
		wantAttrs(t, root(tr), map[string]any{PrefixWorkflowAgents + "total": 1, PrefixWorkflowAgents + "done": 1})
	})
	t.Run("any index, in order", func(t *testing.T) {
		t.Parallel()
		tr := single(t, Options{}, started(0), snapshot(3, done(7, 1, 2), done(-3, 1, 2), done(1<<62, 1, 2), done(0, 1, 2)), notified(9, "completed"))
		var got []any
		for _, s := range tr.Spans[1:] {
			got = append(got, attr(s, KeyAgentIndex))
		}
		if want := []any{int64(-3), int64(0), int64(7), int64(1 << 62)}; !equal(got, want) {
			t.Errorf("got %v", got)
		}
	})
}

func TestPhases(t *testing.T) {
	t.Parallel()
	listed := func(ms int64, phases ...Phase) Event {
		return Event{Kind: Progress, Received: at(ms), TaskID: "t1", Phases: phases}
	}
	for name, test := range map[string]struct {
		events []Event
		want   []string // span names after the root
	}{
		"interleaved": {
			[]Event{listed(1, Phase{Index: 1, Title: "A"}, Phase{Index: 2, Title: "B"}),
				snapshot(2, inPhase(2, "B", done(1, 1, 2)), inPhase(1, "A", done(2, 1, 2)), inPhase(2, "B", done(3, 1, 2)), done(4, 1, 2))},
			[]string{"phase A", "invoke_agent label:2", "phase B", "invoke_agent label:1", "invoke_agent label:3", "invoke_agent label:4"},
		},
		"not listed":                 {[]Event{snapshot(2, inPhase(5, "E", done(1, 1, 2)))}, []string{"phase E", "invoke_agent label:1"}},
		"listed later":               {[]Event{snapshot(2, inPhase(5, "E", done(1, 1, 2))), listed(3, Phase{Index: 5, Title: "F"})}, []string{"phase F", "invoke_agent label:1"}},
		"listed under another title": {[]Event{listed(1, Phase{Index: 5, Title: "F"}), snapshot(2, inPhase(5, "E", done(1, 1, 2)))}, []string{"phase F", "invoke_agent label:1"}},
		"no title":                   {[]Event{snapshot(2, inPhase(5, "", done(1, 1, 2)))}, []string{"phase", "invoke_agent label:1"}},
		"renamed":                    {[]Event{listed(1, Phase{Index: 5, Title: "F"}), listed(2, Phase{Index: 5, Title: "G"}), snapshot(2, inPhase(5, "", done(1, 1, 2)))}, []string{"phase G", "invoke_agent label:1"}},
		"an agent moves":             {[]Event{snapshot(2, inPhase(5, "E", running(1, 1))), snapshot(3, inPhase(6, "F", done(1, 1, 2)))}, []string{"phase F", "invoke_agent label:1"}},
		"an agent leaves":            {[]Event{snapshot(2, inPhase(5, "E", running(1, 1))), snapshot(3, done(1, 1, 2))}, []string{"invoke_agent label:1"}},
		"only a title":               {[]Event{snapshot(2, Agent{Index: 1, State: "done", PhaseTitle: "E"})}, []string{"invoke_agent"}},
		"index 0":                    {[]Event{snapshot(2, inPhase(0, "Zero", done(1, 1, 2)))}, []string{"phase Zero", "invoke_agent label:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := single(t, Options{}, append(append([]Event{started(0)}, test.events...), notified(9, "completed"))...)
			var got []string
			for _, s := range tr.Spans[1:] {
				got = append(got, s.Name)
			}
			if !equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func attempt(a Agent, k int64, reason string) Agent {
	a.Attempt, a.RetryReason = n(k), reason
	return a
}

func TestRetries(t *testing.T) {
	t.Parallel()
	progressed := func(a Agent, ms int64) Agent {
		a.LastProgressAt = at(ms)
		return a
	}
	for name, test := range map[string]struct {
		snapshots []Agent
		want      []string
	}{
		"one attempt":         {[]Agent{attempt(running(1, 1), 1, ""), attempt(done(1, 1, 9), 1, "")}, nil},
		"no attempt":          {[]Agent{running(1, 1), done(1, 1, 9)}, nil},
		"two":                 {[]Agent{attempt(running(1, 1), 1, ""), attempt(progressed(running(1, 1), 4), 2, "stalled"), attempt(done(1, 1, 9), 2, "stalled")}, []string{"2 stalled 4ms"}},
		"done in between":     {[]Agent{attempt(done(1, 1, 2), 1, ""), attempt(progressed(running(1, 1), 4), 2, "throttled"), attempt(done(1, 1, 9), 2, "throttled")}, []string{"2 throttled 4ms"}},
		"seen late":           {[]Agent{attempt(progressed(running(1, 1), 4), 3, "stalled")}, []string{"3 stalled 4ms"}},
		"some skipped":        {[]Agent{attempt(running(1, 1), 1, ""), attempt(progressed(running(1, 1), 4), 3, ""), attempt(progressed(running(1, 1), 6), 4, "x")}, []string{"3  4ms", "4 x 6ms"}},
		"an earlier again":    {[]Agent{attempt(progressed(running(1, 1), 4), 3, ""), attempt(progressed(running(1, 1), 6), 2, ""), attempt(progressed(running(1, 1), 7), 3, "")}, []string{"3  4ms", "2  6ms"}},
		"without a time":      {[]Agent{attempt(Agent{Index: 1, State: "start", StartedAt: at(1)}, 2, "")}, []string{"2  10ms"}},
		"a time out of span":  {[]Agent{attempt(progressed(running(1, 1), 500), 2, "")}, []string{"2  50ms"}},
		"a reason's controls": {[]Agent{attempt(progressed(running(1, 1), 4), 2, "a\x1b[1m\nb")}, []string{"2 a b 4ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := []Event{started(0)}
			for i, a := range test.snapshots {
				events = append(events, snapshot(10+int64(i), a))
			}
			tr := single(t, Options{}, append(events, notified(50, "stopped"))...)
			var got []string
			for _, e := range agentSpan(t, tr, 1).Events {
				s := strconv.FormatInt(e.Attributes[0].Value.(int64), 10) + " "
				if len(e.Attributes) > 1 {
					s += e.Attributes[1].Value.(string)
				}
				got = append(got, s+" "+e.Time.Sub(base).String())
			}
			if !equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A done agent may run again, even for longer than the grace period, and its first end is forgotten.
func TestDoneIsNotFinal(t *testing.T) {
	t.Parallel()
	m := New(Options{Grace: time.Second})
	m.Observe(started(0))
	m.Observe(snapshot(2, attempt(done(1, 1, 2), 1, "")))
	m.Observe(snapshot(90_000, attempt(running(1, 1), 2, "throttled")))
	if trees := m.Observe(notified(90_001, "stopped")); len(trees) != 0 {
		t.Fatal("settled while an agent runs again")
	}
	trees := m.Observe(snapshot(90_500, attempt(errored(1, 1, 90_400, "late"), 2, "throttled")))
	if len(trees) != 1 {
		t.Fatalf("%d trees", len(trees))
	}
	wantAttrs(t, agentSpan(t, trees[0], 1), map[string]any{KeyAgentState: "error", KeyAgentAttempt: 2})
}

// The session of the start line is the workflow's, whatever later lines say.
func TestSession(t *testing.T) {
	t.Parallel()
	session := func(ev Event, id string) Event {
		ev.SessionID = id
		return ev
	}
	begin := Event{Kind: Initialized, Received: at(0)}
	for name, test := range map[string]struct {
		events []Event
		want   any
	}{
		"the start line's":    {[]Event{session(begin, "s0"), started(0)}, "s1"},
		"changed in mid-run":  {[]Event{started(0), session(begin, "s2"), session(snapshot(2, done(1, 1, 2)), "s2")}, "s1"},
		"of the latest init":  {[]Event{session(begin, "s2"), session(begin, "s3"), begin, session(started(0), "")}, "s3"},
		"an init comes later": {[]Event{session(started(0), ""), session(begin, "s2")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := single(t, Options{}, append(test.events, snapshot(3, done(1, 1, 2)), notified(9, "completed"))...)
			for _, s := range tr.Spans {
				wantAttrs(t, s, map[string]any{KeyConversation: test.want})
			}
		})
	}
}

// The run id is that of the tool's result. Task lines of newer CLIs have one too, of another kind.
func TestRunID(t *testing.T) {
	t.Parallel()
	with := func(ev Event, id string) Event {
		ev.RunID = id
		return ev
	}
	launched := Event{Kind: Launched, TaskID: "t1", RunID: "wf_1"}
	for name, test := range map[string]struct {
		events []Event
		want   any
	}{
		"none":                       {nil, nil},
		"of the tool's result":       {[]Event{launched}, "wf_1"},
		"of a task line":             {[]Event{with(snapshot(1), "wf_2")}, "wf_2"},
		"of a task line, not a wf_":  {[]Event{with(snapshot(1), "0mx-1")}, nil},
		"the result's comes first":   {[]Event{launched, with(snapshot(1), "wf_2")}, "wf_1"},
		"the result's comes later":   {[]Event{with(snapshot(1), "wf_2"), launched}, "wf_1"},
		"a result without, then one": {[]Event{with(launched, ""), launched}, "wf_1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := single(t, Options{}, append([]Event{started(0)}, test.events...)...)
			wantAttrs(t, root(tr), map[string]any{KeyRunID: test.want})
		})
	}
}

// An event that stands for skipped ones shows agents that were there since the first of these.
func TestSince(t *testing.T) {
	t.Parallel()
	ev := snapshot(50, Agent{Index: 1, State: "start"}, Agent{Index: 3, State: "done"})
	ev.Since = at(20)
	tr := single(t, Options{}, started(0), snapshot(10, Agent{Index: 2}), ev, notified(90, "stopped"))
	wantTimes(t, agentSpan(t, tr, 1), 20, 90)
	wantTimes(t, agentSpan(t, tr, 2), 10, 90)
	wantTimes(t, agentSpan(t, tr, 3), 20, 50)
}
