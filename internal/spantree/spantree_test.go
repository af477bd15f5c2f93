package spantree_test

import (
	"testing"
	"time"

	"cbc-otel/internal/spantree"
	"cbc-otel/mapping"
)

var start = time.UnixMilli(1796160376346)

func at(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }

// A tree with one of everything.
func example() mapping.Tree {
	trace := mapping.TraceID{0xaa, 15: 0x01}
	inbound := mapping.SpanContext{TraceID: trace, SpanID: mapping.SpanID{0xbb}, Sampled: true, TraceState: "k=v"}
	return mapping.Tree{TaskID: "w1", Spans: []mapping.Span{
		{
			Kind: mapping.WorkflowSpan, TraceID: trace, SpanID: mapping.SpanID{1}, ParentID: inbound.SpanID, Parent: inbound,
			Name: "invoke_workflow \u202eaudit", Start: start, End: at(2319),
			Attributes: []mapping.Attribute{
				{Key: "b.text", Value: "1"}, {Key: "a.int", Value: int64(1)}, {Key: "c.double", Value: 1.0},
				{Key: "d.bool", Value: false}, {Key: "e.list", Value: []string{"x", "y, z"}}, {Key: "f.bad", Value: 7},
			},
			Events: []mapping.SpanEvent{{Name: "cbc.status", Time: at(2319), Attributes: []mapping.Attribute{{Key: "status", Value: "killed"}}}},
			Links: []mapping.Link{{
				Context:    mapping.SpanContext{TraceID: trace, SpanID: mapping.SpanID{2}},
				Attributes: []mapping.Attribute{{Key: "why", Value: "link"}},
			}},
			Status: mapping.Status{Error: true, Description: "stopped"},
		},
		{Kind: mapping.PhaseSpan, TraceID: trace, SpanID: mapping.SpanID{3}, ParentID: mapping.SpanID{1}, Name: "phase G", Start: at(1), End: at(3)},
		{Kind: mapping.AgentSpan, TraceID: trace, SpanID: mapping.SpanID{4}, ParentID: mapping.SpanID{3}, Name: "invoke_agent", Start: at(-2), End: start.Add(1234567)},
		{Kind: mapping.AgentSpan, TraceID: trace, SpanID: mapping.SpanID{5}, ParentID: mapping.SpanID{9}, Name: "astray"},
	}}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	const want = `workflow "invoke_workflow \u202eaudit"
    id      aa000000000000000000000000000001/0100000000000000 parent bb00000000000000 (inbound aa000000000000000000000000000001/bb00000000000000 sampled "k=v")
    start   2026-12-01T21:26:16.346Z +0ms
    end     2026-12-01T21:26:18.665Z +2319ms
    status  error "stopped"
    a.int = 1
    b.text = "1"
    c.double = 1.0
    d.bool = false
    e.list = ["x", "y, z"]
    f.bad = 7 of type int, which no attribute may have
    event "cbc.status" 2026-12-01T21:26:18.665Z +2319ms
        status = "killed"
    link    aa000000000000000000000000000001/0200000000000000
        why = "link"
    phase "phase G"
        id      aa000000000000000000000000000001/0300000000000000 parent 0100000000000000
        start   2026-12-01T21:26:16.347Z +1ms
        end     2026-12-01T21:26:16.349Z +3ms
        status  unset
        agent "invoke_agent"
            id      aa000000000000000000000000000001/0400000000000000 parent 0300000000000000
            start   2026-12-01T21:26:16.344Z -2ms
            end     2026-12-01T21:26:16.347234567Z +1.234567ms
            status  unset
agent "astray"
    id      aa000000000000000000000000000001/0500000000000000 parent 0900000000000000
    start   none
    end     none
    status  unset
`
	if got := (spantree.Options{}).String(example()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	tree := example()
	tree.Spans = tree.Spans[1:3]
	o := spantree.Options{Masked: func(t time.Time) bool { return t.Before(at(3)) }}
	const want = `phase "phase G"
    id      aa000000000000000000000000000001/0300000000000000 parent 0100000000000000
    start   received
    end     2026-12-01T21:26:16.349Z
    status  unset
    agent "invoke_agent"
        id      aa000000000000000000000000000001/0400000000000000 parent 0300000000000000
        start   received
        end     received
        status  unset
`
	if got := o.String(tree); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSeveral(t *testing.T) {
	t.Parallel()
	one := mapping.Tree{Spans: []mapping.Span{{Kind: mapping.WorkflowSpan, Name: "w"}}}
	const want = `workflow "w"
    id      00000000000000000000000000000000/0000000000000000 parent none
    start   none
    end     none
    status  unset
`
	if got := (spantree.Options{}).String(one, one); got != want+"\n"+want {
		t.Errorf("got\n%s", got)
	}
	if got := (spantree.Options{}).String(); got != "" {
		t.Errorf("no tree gives %q", got)
	}
	if got := (spantree.Options{}).String(mapping.Tree{}); got != "" {
		t.Errorf("a tree without spans gives %q", got)
	}
}
