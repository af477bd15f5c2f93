package simcbc

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// scenarios by name. A scenario may start several workflows at once.
var scenarios = map[string]func(Options) []scenario{
	"release-audit": func(Options) []scenario { return []scenario{releaseAudit()} },
	"quick":         func(Options) []scenario { return []scenario{quick("quick-look")} },
	"two":           func(Options) []scenario { return []scenario{quick("first-look"), quick("second-look")} },
	"fan-out":       func(o Options) []scenario { return []scenario{fanOut(o.Agents)} },
	"pipeline":      func(Options) []scenario { return []scenario{pipeline()} },
	"retries":       func(Options) []scenario { return []scenario{retries()} },
	"nested":        func(Options) []scenario { return []scenario{nested()} },
	"no-phase":      func(Options) []scenario { return []scenario{noPhase()} },
	"throws":        func(Options) []scenario { return []scenario{throws()} },
	"all-failed":    func(Options) []scenario { return []scenario{allFailed()} },
	"empty": func(Options) []scenario {
		return []scenario{{name: "nothing-to-do", description: "A workflow without agents"}}
	},
	"none": func(Options) []scenario { return nil },
}

// Scenarios lists the names that Options.Scenario takes.
func Scenarios() []string { return slices.Sorted(maps.Keys(scenarios)) }

const ms = time.Millisecond

// releaseAudit is the demo: about four seconds, three phases, ten agents of which one is cached, one
// retried and one fails, and never more than three at a time, so that some queue.
func releaseAudit() scenario {
	return scenario{
		name:        "release-audit",
		description: "Audit the release candidate and write its notes",
		concurrency: 3,
		phases:      []phaseSpec{{title: "Gather"}, {title: "Review"}, {title: "Write"}},
		agents: []agentSpec{
			{phase: 1, label: "read changelog", prompt: "Collect every entry of CHANGELOG.md since v2.3.0", text: "42 entries, 3 of them breaking", model: "claude-haiku-4-5", takes: 700 * ms, tokens: 8_420, tools: []string{"Read", "Grep"}},
			{phase: 1, label: "diff public API", prompt: "Compare the exported API with that of v2.3.0", text: "2 functions removed, 5 added", model: "claude-sonnet-4-5", takes: 1100 * ms, tokens: 15_310, tools: []string{"Bash", "Read", "Read"}},
			{phase: 1, label: "scan dependencies", prompt: "List dependencies with known advisories", text: "1 advisory, moderate", model: "claude-haiku-4-5", takes: 600 * ms, tokens: 6_150, tools: []string{"Bash"}},
			{phase: 1, label: "check licences", prompt: "Check the licences of new dependencies", text: "all permissive", model: "claude-haiku-4-5", fate: cached},
			{phase: 1, label: "list open issues", prompt: "List open issues with the milestone of this release", text: "7 open, 1 of them a blocker", model: "claude-haiku-4-5", takes: 500 * ms, tokens: 4_870, tools: []string{"WebFetch"}},
			{phase: 2, label: "review security", prompt: "Review the diff for security problems", text: "no findings above low", model: "claude-sonnet-4-5", takes: 1300 * ms, tokens: 31_760, tools: []string{"Read", "Grep", "Read"}},
			{phase: 2, label: "review performance", prompt: "Review the diff for performance regressions", text: "one query in a loop", model: "claude-sonnet-4-5", takes: 1200 * ms, tokens: 22_940, tools: []string{"Read", "Bash"}, fate: stalls},
			{phase: 2, label: "run benchmarks", prompt: "Run the benchmark suite and compare with main", text: "API Error: 529 overloaded, try again later", model: "claude-sonnet-4-5", takes: 400 * ms, tokens: 0, fate: fails},
			{phase: 3, label: "write release notes", prompt: "Write the release notes from what was gathered", text: "RELEASE.md, 61 lines", model: "claude-sonnet-4-5", takes: 900 * ms, tokens: 12_480, tools: []string{"Write"}},
			{phase: 3, label: "summarise risks", prompt: "Summarise the open risks for the release manager", text: "ship after the blocker is closed", model: "claude-sonnet-4-5", takes: 600 * ms, tokens: 9_030},
		},
	}
}

func quick(name string) scenario {
	return scenario{
		name: name, description: "A quick look", concurrency: 2,
		phases: []phaseSpec{{title: "Look"}, {title: "Tell"}},
		agents: []agentSpec{
			{phase: 1, label: "look:left", prompt: "Look to the left", text: "nothing", model: "claude-haiku-4-5", takes: 200 * ms, tokens: 1_200, tools: []string{"Read"}},
			{phase: 1, label: "look:right", prompt: "Look to the right", text: "a road", model: "claude-haiku-4-5", takes: 300 * ms, tokens: 1_300},
			{phase: 2, label: "tell", prompt: "Tell what was seen", text: "a road to the right", model: "claude-haiku-4-5", takes: 200 * ms, tokens: 900},
		},
	}
}

func fanOut(n int) scenario {
	s := scenario{
		name: "fan-out", description: "Many agents", concurrency: 8,
		phases: []phaseSpec{{title: "Fan"}, {title: "End"}},
	}
	for i := range n {
		s.agents = append(s.agents, agentSpec{
			phase: 1, label: fmt.Sprintf("item:%d", i), prompt: fmt.Sprintf("Look at item %d of the fan-out", i),
			text: fmt.Sprintf("item %d is fine", i), model: "claude-haiku-4-5", takes: 60 * ms, tokens: 1_500 + int64(i),
		})
	}
	return s
}

// pipeline has no barrier between its phases: each item goes on by itself, so the phases overlap.
func pipeline() scenario {
	s := scenario{
		name: "pipeline", description: "Items go through two phases on their own",
		phases: []phaseSpec{{title: "Fetch"}, {title: "Digest"}},
	}
	for i := range 3 {
		s.agents = append(s.agents, agentSpec{
			phase: 1, label: fmt.Sprintf("fetch:%d", i), prompt: fmt.Sprintf("Fetch page %d", i), text: "fetched",
			model: "claude-haiku-4-5", takes: time.Duration(200+200*i) * ms, tokens: 700, after: []int{},
		})
	}
	for i := range 3 {
		s.agents = append(s.agents, agentSpec{
			phase: 2, label: fmt.Sprintf("digest:%d", i), prompt: fmt.Sprintf("Digest page %d", i), text: "digested",
			model: "claude-haiku-4-5", takes: 300 * ms, tokens: 1_900, after: []int{i + 1},
		})
	}
	return s
}

func retries() scenario {
	return scenario{
		name: "retries", description: "Agents that need a second attempt",
		phases: []phaseSpec{{title: "Try"}},
		agents: []agentSpec{
			{phase: 1, label: "staller", prompt: "Stall once", text: "done at last", model: "claude-sonnet-4-5", takes: 600 * ms, tokens: 1_500, fate: stalls},
			{phase: 1, label: "throttled", prompt: "Be throttled once", text: "done again", model: "claude-sonnet-4-5", takes: 400 * ms, tokens: 1_600, fate: throttled},
			{phase: 1, label: "steady", prompt: "Just work", text: "fine", model: "claude-sonnet-4-5", takes: 300 * ms, tokens: 1_400},
		},
	}
}

func nested() scenario {
	return scenario{
		name: "nested", description: "A workflow that calls another one",
		phases: []phaseSpec{{title: "Before"}, {title: "▸ child-wf", kind: "child"}, {title: "After"}},
		agents: []agentSpec{
			{phase: 1, label: "before", prompt: "Prepare", text: "ready", model: "claude-sonnet-4-5", takes: 200 * ms, tokens: 1_100},
			{phase: 2, label: "child one", prompt: "Do the first half", text: "half", model: "claude-sonnet-4-5", takes: 300 * ms, tokens: 1_200},
			{phase: 2, label: "child two", prompt: "Do the other half", text: "whole", model: "claude-sonnet-4-5", takes: 250 * ms, tokens: 1_300},
			{phase: 3, label: "after", prompt: "Tidy up", text: "tidy", model: "claude-sonnet-4-5", takes: 200 * ms, tokens: 1_000},
		},
	}
}

// noPhase has an agent outside any phase and one whose label the CLI cut from its prompt.
func noPhase() scenario {
	return scenario{
		name: "no-phase", description: "Agents outside any phase",
		agents: []agentSpec{
			{label: "loner", prompt: "Work alone", text: "done", model: "claude-sonnet-4-5", takes: 200 * ms, tokens: 1_000},
			{label: "Look at the whole of the repository and tell what is missing", prompt: "Look at the whole of the repository and tell what is missing from it", text: "tests", model: "claude-sonnet-4-5", takes: 300 * ms, tokens: 2_000},
		},
	}
}

func throws() scenario {
	return scenario{
		name: "thrower", description: "Throws midway",
		phases: []phaseSpec{{title: "One"}, {title: "Two"}},
		throws: "Error: boom: synthetic\nsecond line\n    at <anonymous> (workflow.js:7:7)",
		agents: []agentSpec{
			{phase: 1, label: "first", prompt: "Go first", text: "went", model: "claude-sonnet-4-5", takes: 300 * ms, tokens: 1_100},
			{phase: 1, label: "left running", prompt: "Take your time", text: "never seen", model: "claude-sonnet-4-5", takes: 30 * time.Second, tokens: 9_999},
		},
	}
}

func allFailed() scenario {
	s := scenario{
		name: "all-failed", description: "Completed, with nothing done",
		phases: []phaseSpec{{title: "Try"}},
	}
	for _, l := range []string{"alpha", "beta"} {
		s.agents = append(s.agents, agentSpec{phase: 1, label: l, prompt: "Try " + l, text: "API Error: 400 synthetic failure", model: "claude-sonnet-4-5", takes: 300 * ms, fate: fails})
	}
	return s
}
