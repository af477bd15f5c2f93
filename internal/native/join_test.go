package native

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/internal/spantree"
	"cbc-otel/mapping"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each agent's tokens are, to the token, what the model served to it.
func TestTokensAreWhatWasServed(t *testing.T) {
	t.Parallel()
	for _, name := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := load(t, name)
			s := NewStore(StoreOptions{})
			fill(t, s, r.bodies)
			counted := map[string]bool{"main": true}
			for _, tree := range r.trees {
				merged := s.Merge(tree)
				var all served
				for i := range merged.Spans {
					if merged.Spans[i].Kind == mapping.AgentSpan {
						checkAgent(t, r, &merged.Spans[i], counted, &all)
					}
				}
				in, out, _ := mapping.TrueTokens(&merged.Spans[0])
				if in != all.Input || out != all.Output {
					t.Errorf("workflow: %d in, %d out, want %d and %d", in, out, all.Input, all.Output)
				}
			}
			for id := range r.served {
				if !counted[id] {
					t.Errorf("agent %s was served %+v and is in no tree", id, r.served[id])
				}
			}
			checkAll(t, s, r)
		})
	}
}

func checkAgent(t *testing.T, r recording, a *mapping.Span, counted map[string]bool, all *served) {
	t.Helper()
	var want served
	for _, id := range a.AgentIDs {
		counted[id] = true
		want.Requests += r.served[id].Requests
		want.Input += r.served[id].Input
		want.Output += r.served[id].Output
	}
	in, out, known := mapping.TrueTokens(a)
	if in != want.Input || out != want.Output || known != (want.Requests > 0) {
		t.Errorf("%s: %d in, %d out, want %+v", a.Name, in, out, want)
	}
	requests, _ := a.Int(mapping.KeyRequests)
	failed, _ := a.Int(mapping.KeyFailed)
	if requests-failed != want.Requests {
		t.Errorf("%s: %d requests, %d failed, want %d answered", a.Name, requests, failed, want.Requests)
	}
	if cost, _ := a.Value(mapping.KeyCost).(float64); (cost > 0) != (want.Requests > 0) {
		t.Errorf("%s: cost %v", a.Name, cost)
	}
	all.Input += want.Input
	all.Output += want.Output
}

// checkAll: nothing of what was received is lost or doubled.
func checkAll(t *testing.T, s *Store, r recording) {
	t.Helper()
	s.Apart(true)
	c := s.Counts()
	if sum := c.Merged + c.Late + c.Apart + c.Unmatched + c.Duplicates + c.Dropped; sum != c.Spans || c.Dropped > 0 || c.Unmatched > 0 {
		t.Errorf("counts do not add up: %+v", c)
	}
	if len(s.order) > 0 || len(s.spans) > 0 || s.bytes != 0 {
		t.Errorf("%d spans, %d bytes are left", len(s.order), s.bytes)
	}
}

// The whole tree of each small recording.
func TestTrees(t *testing.T) {
	t.Parallel()
	for _, name := range recordings(t) {
		if strings.HasSuffix(name, "150-agents") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := load(t, name)
			s := NewStore(StoreOptions{})
			fill(t, s, r.bodies)
			for _, tree := range r.trees {
				s.Known(tree)
			}
			var trees []mapping.Tree
			for _, tree := range r.trees {
				trees = append(trees, s.Merge(tree))
			}
			trees = append(trees, s.Apart(true)...)
			for _, tree := range trees {
				parentsFirst(t, tree)
			}
			golden(t, "testdata/"+name+".txt", outline(trees))
		})
	}
}

// parentsFirst: exporters start a span in the context of its parent, which must be there.
func parentsFirst(t *testing.T, tree mapping.Tree) {
	t.Helper()
	all := map[mapping.SpanID]bool{}
	for _, s := range tree.Spans {
		all[s.SpanID] = true
	}
	seen := map[mapping.SpanID]bool{}
	for _, s := range tree.Spans {
		if seen[s.SpanID] {
			t.Errorf("%s is there twice", s.Name)
		}
		seen[s.SpanID] = true
		if all[s.ParentID] && !seen[s.ParentID] {
			t.Errorf("%s comes before its parent", s.Name)
		}
	}
}

// outline is what a joined tree is about: places, sums and links.
func outline(trees []mapping.Tree) string {
	var b strings.Builder
	for _, tree := range trees {
		depth := map[mapping.SpanID]int{}
		for _, s := range tree.Spans {
			d := 0
			if at, ok := depth[s.ParentID]; ok {
				d = at + 1
			}
			depth[s.SpanID] = d
			fmt.Fprintf(&b, "%s%s %q", strings.Repeat("  ", d), s.Kind, s.Name)
			if s.Status.Error {
				fmt.Fprintf(&b, " error %q", s.Status.Description)
			}
			for _, a := range s.Attributes {
				if strings.HasPrefix(a.Key, "cbc.usage.") || strings.HasPrefix(a.Key, "gen_ai.usage.") || a.Key == "input_tokens" || a.Key == "tool_name" ||
					a.Key == mapping.KeyNativeParent || a.Key == mapping.KeyAgentState {
					fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
				}
			}
			for _, l := range s.Links {
				fmt.Fprintf(&b, " link=%s", hex.EncodeToString(l.Context.SpanID[:]))
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		check(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	check(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

var at = time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)

// workflow is a tree of a phase with two agents, of which ids are given.
func workflow(run string, first, second []string) mapping.Tree {
	trace := mapping.TraceID{1}
	span := func(kind mapping.SpanKind, id, parent byte, from, to int) mapping.Span {
		return mapping.Span{Kind: kind, TraceID: trace, SpanID: mapping.SpanID{id}, ParentID: mapping.SpanID{parent},
			Name: string(kind), Start: at.Add(time.Duration(from) * time.Second), End: at.Add(time.Duration(to) * time.Second)}
	}
	tree := mapping.Tree{TaskID: "t1", Spans: []mapping.Span{
		span(mapping.WorkflowSpan, 1, 0, 0, 100), span(mapping.PhaseSpan, 2, 1, 0, 100), span(mapping.AgentSpan, 3, 2, 0, 40), span(mapping.AgentSpan, 4, 2, 60, 100),
	}}
	tree.Spans[0].ParentID = mapping.SpanID{}
	if run != "" {
		tree.Spans[0].Attributes = []mapping.Attribute{{Key: mapping.KeyRunID, Value: run}}
	}
	tree.Spans[2].AgentIDs, tree.Spans[3].AgentIDs = first, second
	return tree
}

// one is a span of the CLI.
func one(id, parent byte, second int, agent, run string) *Span {
	from := at.Add(time.Duration(second) * time.Second)
	s := &Span{AgentID: agent, RunID: run}
	s.Span = mapping.Span{Kind: mapping.NativeSpan, TraceID: mapping.TraceID{9}, SpanID: mapping.SpanID{9, id}, Name: fmt.Sprint("n", id), Start: from, End: from.Add(time.Second)}
	if parent != 0 {
		s.ParentID = mapping.SpanID{9, parent}
	}
	return s
}

func TestOwners(t *testing.T) {
	t.Parallel()
	const first, second, root, none = 3, 4, 1, 0
	a, b := []string{"a1", "a2"}, []string{"b1"}
	for _, tt := range []struct {
		name   string
		tree   mapping.Tree
		spans  []*Span
		parent []byte // of each span: that of the tree, or 9 for the one it had, or none
	}{
		{"any attempt's id", workflow("wf_1", a, b), []*Span{one(1, 0, 1, "a1", "wf_1"), one(2, 0, 1, "a2", "wf_1"), one(3, 0, 1, "b1", "wf_1")}, []byte{first, first, second}},
		{"the run alone", workflow("wf_1", a, b), []*Span{one(1, 0, 1, "x", "wf_1"), one(2, 0, 1, "", "wf_1")}, []byte{root, root}},
		{"another run", workflow("wf_1", a, b), []*Span{one(1, 0, 1, "a1", "wf_2")}, []byte{none}},
		{"no run in the stream: the time decides", workflow("", a, b), []*Span{one(1, 0, 1, "a1", "wf_2"), one(2, 0, 90, "a1", "wf_2")}, []byte{first, none}},
		{"no run in the span: the time decides", workflow("wf_1", a, b), []*Span{one(1, 0, 1, "a1", ""), one(2, 0, 90, "a1", "")}, []byte{first, none}},
		{"one id for two agents", workflow("wf_1", []string{"same"}, []string{"same"}),
			[]*Span{one(1, 0, 1, "same", "wf_1"), one(2, 0, 61, "same", "wf_1"), one(3, 0, 50, "same", "wf_1")}, []byte{first, second, root}},
		{"a subtree follows", workflow("wf_1", a, b), []*Span{one(1, 0, 1, "a1", "wf_1"), one(2, 1, 1, "", ""), one(3, 2, 1, "", "wf_1"), one(4, 3, 1, "sub", "wf_1")}, []byte{first, 9, 9, 9}},
		{"the child first", workflow("wf_1", a, b), []*Span{one(2, 1, 1, "", ""), one(1, 0, 1, "a1", "wf_1")}, []byte{9, first}},
		{"an agent below another", workflow("wf_1", a, b), []*Span{one(1, 0, 1, "a1", "wf_1"), one(2, 1, 1, "b1", "wf_1")}, []byte{first, second}},
		{"an agent below the run's", workflow("wf_1", a, b), []*Span{one(1, 0, 1, "", "wf_1"), one(2, 1, 1, "a1", "wf_1"), one(3, 1, 1, "", "")}, []byte{root, first, 9}},
		{"the main loop", workflow("wf_1", a, b), []*Span{one(1, 0, 1, "", ""), one(2, 1, 1, "", "")}, []byte{none, none}},
		{"its own parent", workflow("wf_1", a, b), []*Span{one(1, 1, 1, "a1", "wf_1"), one(2, 2, 1, "", "")}, []byte{first, none}},
		{"a circle", workflow("wf_1", a, b), []*Span{one(1, 2, 1, "a1", "wf_1"), one(2, 1, 1, "", "")}, []byte{first, 9}},
		{"an empty tree", mapping.Tree{}, []*Span{one(1, 0, 1, "a1", "wf_1")}, []byte{none}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j := Join(tt.tree, tt.spans, nil, false)
			parentsFirst(t, j.Tree)
			got := map[mapping.SpanID]mapping.Span{}
			for _, s := range j.Tree.Spans {
				got[s.SpanID] = s
			}
			if len(got) != len(tt.tree.Spans)+len(j.Used) {
				t.Errorf("%d spans of %d and %d", len(got), len(tt.tree.Spans), len(j.Used))
			}
			for i, n := range tt.spans {
				s, there := got[n.SpanID]
				want := mapping.SpanID{tt.parent[i]}
				if tt.parent[i] == 9 {
					want = n.ParentID
				}
				if there != (tt.parent[i] != none) || there && (s.ParentID != want || s.TraceID != mapping.TraceID{1}) {
					t.Errorf("span %d: %v under %x in %x, want %x", i, there, s.ParentID, s.TraceID, want)
				}
			}
		})
	}
}

func TestPartial(t *testing.T) {
	t.Parallel()
	request := func() *Span {
		s := one(1, 0, 1, "a1", "wf_1")
		s.Request, s.RequestID, s.Usage = true, "r1", Usage{Input: 10, Output: 2, Known: true}
		return s
	}
	for _, tt := range []struct {
		name  string
		attrs []mapping.Attribute
		spans []*Span
		lossy bool
		want  bool
	}{
		{"all seen", []mapping.Attribute{{Key: mapping.KeyAgentState, Value: "done"}, {Key: mapping.KeyAgentTokens, Value: int64(12)}}, []*Span{request()}, false, false},
		{"tokens, and no request", []mapping.Attribute{{Key: mapping.KeyAgentState, Value: "done"}, {Key: mapping.KeyAgentTokens, Value: int64(12)}}, nil, false, true},
		{"tools, and none of them seen", []mapping.Attribute{{Key: mapping.KeyAgentState, Value: "done"}, {Key: mapping.KeyAgentToolCalls, Value: int64(1)}}, []*Span{request()}, false, true},
		{"cut short", []mapping.Attribute{{Key: mapping.KeyAgentState, Value: "cancelled"}}, []*Span{request()}, false, true},
		{"cached", []mapping.Attribute{{Key: mapping.KeyAgentState, Value: "cached"}, {Key: mapping.KeyAgentTokens, Value: int64(12)}}, nil, false, false},
		{"failed before any answer", []mapping.Attribute{{Key: mapping.KeyAgentState, Value: "error"}}, nil, false, false},
		{"some telemetry lost", []mapping.Attribute{{Key: mapping.KeyAgentState, Value: "done"}}, []*Span{request()}, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tree := workflow("wf_1", []string{"a1"}, nil)
			tree.Spans[2].Attributes = append(tt.attrs, mapping.Attribute{Key: mapping.KeyAgentStarted, Value: true})
			j := Join(tree, tt.spans, nil, tt.lossy)
			for _, i := range []int{0, 1, 2} {
				if got, _ := j.Tree.Spans[i].Value(mapping.KeyUsagePartial).(bool); got != tt.want {
					t.Errorf("%s: partial %v", j.Tree.Spans[i].Kind, got)
				}
			}
		})
	}
}

// A request counts once, whatever is told of it how often; what failed without an answer has nothing to count.
func TestSums(t *testing.T) {
	t.Parallel()
	request := func(id byte, name string, in, out int64, failed bool) *Span {
		s := one(id, 0, 1, "a1", "wf_1")
		s.Request, s.RequestID, s.Failed, s.Usage = true, name, failed, Usage{}
		if !failed {
			s.Usage = Usage{Input: in, Output: out, CacheRead: 1, CacheWrite: 2, Known: true}
		}
		return s
	}
	tool := one(7, 0, 1, "", "wf_1")
	tool.Tool = true
	tree := workflow("wf_1", []string{"a1"}, []string{"b1"})
	before := spantree.Options{}.String(tree)
	j := Join(tree, []*Span{request(1, "r1", 10, 1, false), request(2, "r1", 10, 1, false), request(3, "r2", 20, 2, false), request(4, "", 0, 0, true), tool},
		map[string]Cost{"r1": {"r1", "wf_1", 0.1}, "r2": {"r2", "wf_1", 0.2}, "r3": {"r3", "wf_1", 1}, "r4": {"r4", "wf_2", 5}}, false)
	attrs := func(i int) map[string]any {
		m := map[string]any{}
		for _, a := range j.Tree.Spans[i].Attributes {
			m[a.Key] = a.Value
		}
		return m
	}
	agent := map[string]any{
		"gen_ai.usage.input_tokens": int64(30), "gen_ai.usage.output_tokens": int64(3), "gen_ai.usage.cache_read.input_tokens": int64(2),
		"gen_ai.usage.cache_creation.input_tokens": int64(4), "cbc.usage.cost_usd": 0.3, "cbc.usage.requests": int64(4), "cbc.usage.requests_failed": int64(1),
	}
	if diff := cmp.Diff(agent, attrs(2)); diff != "" {
		t.Errorf("agent (-want +got):\n%s", diff)
	}
	// The workflow has a tool of its own, and the cost of a request whose span was lost.
	all := map[string]any{
		"cbc.usage.input_tokens": int64(30), "cbc.usage.output_tokens": int64(3), "cbc.usage.cache_read.input_tokens": int64(2),
		"cbc.usage.cache_creation.input_tokens": int64(4), "cbc.usage.cost_usd": 1.3, "cbc.usage.requests": int64(4), "cbc.usage.requests_failed": int64(1),
		"cbc.usage.tool_calls": int64(1), "cbc.usage.partial": true, "workflow.run_id": "wf_1",
	}
	if diff := cmp.Diff(all, attrs(0)); diff != "" {
		t.Errorf("workflow (-want +got):\n%s", diff)
	}
	if after := (spantree.Options{}).String(tree); after != before {
		t.Errorf("the tree given was changed:\n%s", after)
	}
}

// What outlasts its parent by the inaccuracy of two clocks is cut to it.
func TestWithinParents(t *testing.T) {
	t.Parallel()
	outer, inner, early := one(1, 0, 39, "a1", "wf_1"), one(2, 1, 39, "", ""), one(3, 0, -1, "a1", "wf_1")
	outer.End = at.Add(41 * time.Second)
	inner.End = at.Add(42 * time.Second)
	tree := workflow("wf_1", []string{"a1"}, nil)
	j := Join(tree, []*Span{outer, inner, early}, nil, false)
	agent := j.Tree.Spans[2]
	for _, s := range j.Tree.Spans[3:6] {
		if s.Start.Before(agent.Start) || s.End.After(agent.End) || s.End.Before(s.Start) {
			t.Errorf("%s: %v to %v in %v to %v", s.Name, s.Start, s.End, agent.Start, agent.End)
		}
	}
	if !inner.End.Equal(at.Add(42 * time.Second)) {
		t.Error("the span given was changed")
	}
}
