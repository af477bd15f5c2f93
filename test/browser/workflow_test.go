package browser

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/mapping"
)

// begun is when made workflows start.
var begun = time.Date(2026, 3, 17, 9, 41, 7, 0, time.UTC)

// made is a workflow of n agents, the same each time: phases one after the other with so many agents at once, some
// that fail, were cached, retried or cancelled.
func made(n int) mapping.Tree {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	m := &maker{trace: mapping.TraceID{1, 2, 3, byte(n), byte(n >> 8)}}
	m.tree.TaskID = "w1"
	m.tree.Spans = []mapping.Span{{Kind: mapping.WorkflowSpan, Name: "invoke_workflow repo-audit", TraceID: m.trace, SpanID: m.id(), Start: begun}}
	titles := []string{"Plan", "Collect sources", "Review each file", "Cross-check findings", "Write up"}
	share := []float64{.02, .22, .5, .2, .06}
	slots := []int{2, 6, 12, 8, 3}
	if n < 10 {
		titles, share, slots = titles[:1], []float64{1}, []int{2}
	}
	at := begun.Add(400 * time.Millisecond)
	left, tokens := n, int64(0)
	for i, title := range titles {
		count := max(1, int(share[i]*float64(n)))
		if i == len(titles)-1 {
			count = left
		}
		left -= count
		var used int64
		at, used = m.phase(r, i, title, count, slots[i], at)
		tokens += used
	}
	root := &m.tree.Spans[0]
	root.End = at.Add(300 * time.Millisecond)
	root.Attributes = []mapping.Attribute{
		{Key: mapping.KeyOperation, Value: mapping.InvokeWorkflow}, {Key: mapping.KeyWorkflowName, Value: "repo-audit"},
		{Key: mapping.KeyConversation, Value: "5f2b0c1e-9d4a-4b7e-8a53-2f6f1f0c9b11"}, {Key: mapping.KeyWorkflowStatus, Value: "completed"},
		{Key: mapping.PrefixWorkflowAgents + "total", Value: int64(n)}, {Key: mapping.PrefixWorkflowAgents + "error", Value: m.failed}, {Key: mapping.KeyUsageTokens, Value: tokens},
	}
	return m.tree
}

type maker struct {
	trace  mapping.TraceID
	next   uint64
	index  int64
	failed int64
	tree   mapping.Tree
}

func (m *maker) id() (id mapping.SpanID) {
	m.next++
	binary.BigEndian.PutUint64(id[:], uint64(m.trace[3])<<40|m.next)
	return id
}

// phase adds a phase whose agents share slots. It returns its end and its tokens.
func (m *maker) phase(r *rand.Rand, index int, title string, count, slots int, at time.Time) (end time.Time, tokens int64) {
	place := len(m.tree.Spans)
	m.tree.Spans = append(m.tree.Spans, mapping.Span{Kind: mapping.PhaseSpan, Name: "phase " + title, TraceID: m.trace, SpanID: m.id(), ParentID: m.tree.Spans[0].SpanID, Start: at})
	free := make([]time.Time, slots)
	for i := range free {
		free[i] = at
	}
	queued := at
	end = at
	for range count {
		slot := 0
		for i := range free {
			if free[i].Before(free[slot]) {
				slot = i
			}
		}
		took := time.Duration(600+r.ExpFloat64()*2600) * time.Millisecond
		if r.IntN(40) == 0 {
			took *= 4 // a straggler
		}
		a := m.agent(r, title, place, queued, free[slot], took)
		if a.Start.Before(a.End) {
			free[slot] = a.End
		}
		if a.End.After(end) {
			end = a.End
		}
		n, _ := a.Int(mapping.KeyAgentTokens)
		tokens += n
		m.tree.Spans = append(m.tree.Spans, a)
	}
	p := &m.tree.Spans[place]
	p.End = end
	p.Attributes = []mapping.Attribute{{Key: mapping.KeyPhaseIndex, Value: int64(index + 1)}, {Key: mapping.KeyPhaseTitle, Value: title}, {Key: mapping.KeyPhaseTokens, Value: tokens}}
	return end.Add(150 * time.Millisecond), tokens
}

var things = []string{"exporter", "mapping", "filter", "stream", "process", "journal", "config", "spool", "doctor", "summary", "waterfall", "sampler"}

func (m *maker) agent(r *rand.Rand, title string, place int, queued, start time.Time, took time.Duration) mapping.Span {
	m.index++
	label := fmt.Sprintf("%s #%d", things[r.IntN(len(things))], m.index)
	s := mapping.Span{
		Kind: mapping.AgentSpan, Name: "invoke_agent " + label, TraceID: m.trace, SpanID: m.id(), ParentID: m.tree.Spans[place].SpanID,
		Start: start, End: start.Add(took),
	}
	state, started, spent := "done", true, int64(took.Milliseconds())*int64(3+r.IntN(9))
	switch n := r.IntN(60); {
	case n == 0:
		state, s.Status = "error", mapping.Status{Error: true, Description: "API Error: 529 overloaded, try again later"}
		m.failed++
	case n <= 3:
		state, started, spent = "cached", false, 0
		s.Start, s.End = queued, queued
	case n == 4:
		state, s.Status = "cancelled", mapping.Status{Error: true, Description: "cancelled"}
	case n == 5:
		s.Events = []mapping.SpanEvent{{Name: mapping.EventRetry, Time: s.Start.Add(took / 2), Attributes: []mapping.Attribute{{Key: mapping.KeyAttempt, Value: int64(2)}, {Key: mapping.KeyReason, Value: "stalled for 300 s"}}}}
	}
	s.Attributes = []mapping.Attribute{
		{Key: mapping.KeyOperation, Value: mapping.InvokeAgent}, {Key: mapping.KeyAgentName, Value: label},
		{Key: mapping.KeyConversation, Value: "5f2b0c1e-9d4a-4b7e-8a53-2f6f1f0c9b11"}, {Key: mapping.KeyWorkflowName, Value: "repo-audit"},
		{Key: mapping.KeyModel, Value: "claude-sonnet-4-5"}, {Key: mapping.KeyAgentID, Value: fmt.Sprintf("a%016x", r.Uint64())},
		{Key: mapping.KeyAgentIndex, Value: m.index}, {Key: mapping.KeyAgentState, Value: state}, {Key: mapping.KeyAgentStarted, Value: started},
	}
	if spent > 0 {
		s.Attributes = append(s.Attributes, mapping.Attribute{Key: mapping.KeyAgentTokens, Value: spent}, mapping.Attribute{Key: mapping.KeyAgentToolCalls, Value: int64(r.IntN(20))},
			mapping.Attribute{Key: mapping.KeyAgentActive, Value: took.Milliseconds()})
		if wait := s.Start.Sub(queued).Milliseconds(); wait > 0 {
			s.Attributes = append(s.Attributes, mapping.Attribute{Key: mapping.KeyAgentQueue, Value: wait})
		}
	}
	return s
}

// file writes trees as the exporter does and returns the path.
func file(t *testing.T, trees ...mapping.Tree) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	p, err := exporter.Open(exporter.Options{Exporters: []string{"file"}, File: path, ServiceName: "claude", Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	for _, tree := range trees {
		tree.Spans = slices.Clone(tree.Spans)
		p.Export(tree)
	}
	if report := p.Flush(context.Background()); report.Lost() > 0 {
		t.Fatalf("%+v", report)
	}
	return path
}
