package native

import (
	"fmt"
	"strings"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"cbc-otel/mapping"
)

func text(key, value string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}}
}

func number(key string, n int64) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: n}}}
}

// wire is a span as the CLI sends it.
func wire(id, parent byte, attrs ...*commonpb.KeyValue) *tracepb.Span {
	s := &tracepb.Span{
		TraceId: []byte{9, 15: 0}, SpanId: []byte{9, id, 7: 0}, Name: "claude_code.llm_request", Attributes: attrs,
		StartTimeUnixNano: uint64(at.UnixNano()), EndTimeUnixNano: uint64(at.UnixNano()) + 1e9,
	}
	if parent != 0 {
		s.ParentSpanId = []byte{9, parent, 7: 0}
	}
	return s
}

func of(spans ...*tracepb.Span) payload {
	return payload{traces: &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{
		Scope: &commonpb.InstrumentationScope{Name: "com.anthropic.claude_code.tracing"}, Spans: spans,
	}}}}}}
}

// What people wrote leaves only with content, accounts never, and the text of an error as the user says.
func TestWhatMayLeave(t *testing.T) {
	t.Parallel()
	sent := func() *tracepb.Span {
		s := wire(1, 0, text("span.type", "tool"), text("tool_name", "Bash"), text("user.id", "canary-account"), text("user.email", "canary-account"),
			text("organization.id", "canary-account"), text("uid", "canary-account"), text("user_prompt", "canary-text"), text("full_command", "canary-text"),
			text("file_path", "canary-text"), text("some_new_key", "canary-text"), number("some_number", 7), text("error_message", "canary-error\nsecond"), text("error", "second"), text("model", "a\x1b[31mb"))
		s.Events = []*tracepb.Span_Event{{Name: "tool.output", Attributes: []*commonpb.KeyValue{text("output", "canary-text"), number("bytes", 3)}}}
		s.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: "canary-error\nsecond"}
		return s
	}
	for _, tt := range []struct {
		name               string
		o                  StoreOptions
		texts, errorsLeave bool
	}{
		{"by default", StoreOptions{Errors: true}, false, true},
		{"no texts of errors", StoreOptions{}, false, false},
		{"with content", StoreOptions{Content: true, Errors: true}, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := NewStore(tt.o)
			s.add(of(sent()))
			got := fmt.Sprintf("%+v", s.Apart(true))
			for canary, leaves := range map[string]bool{"canary-account": false, "canary-text": tt.texts, "canary-error": tt.errorsLeave, "second": false, "\x1b": false, "Bash": true, "some_number": true} {
				if strings.Contains(got, canary) != leaves {
					t.Errorf("%q leaves: %v\n%s", canary, !leaves, got)
				}
			}
		})
	}
	// A secret in what may leave is masked.
	s := NewStore(StoreOptions{Redact: func(text string) string { return strings.ReplaceAll(text, "hunter2", "****") }})
	s.add(of(wire(1, 0, text("model", "hunter2"))))
	if got := fmt.Sprintf("%+v", s.Apart(true)); strings.Contains(got, "hunter2") {
		t.Errorf("not masked: %s", got)
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	s := NewStore(StoreOptions{})
	spans := make([]*tracepb.Span, 0, maxSpans+3)
	for i := range maxSpans + 3 {
		one := wire(0, 0)
		one.SpanId = []byte{1, byte(i >> 16), byte(i >> 8), byte(i), 7: 0}
		spans = append(spans, one)
	}
	s.add(of(spans...))
	short := wire(1, 0)
	short.SpanId = nil
	s.add(of(short))
	if c := s.Counts(); c.Dropped != 4 || c.Spans != maxSpans+4 {
		t.Errorf("%+v", c)
	}
	// The workflow is told that it may not be whole.
	j := s.Merge(mapping.Tree{Spans: []mapping.Span{{Kind: mapping.WorkflowSpan, SpanID: mapping.SpanID{1}}}})
	if len(j.Spans) != 1 {
		t.Errorf("%d spans", len(j.Spans))
	}
	s.Apart(true)
	if c := s.Counts(); c.Apart != maxSpans || s.bytes != 0 {
		t.Errorf("%+v, %d bytes", c, s.bytes)
	}
}

// What is counted is about what is held: no text of a span goes uncounted.
func TestBytesAreCounted(t *testing.T) {
	t.Parallel()
	s := NewStore(StoreOptions{})
	long := strings.Repeat("x", 1<<20)
	one := wire(1, 0)
	for _, key := range []string{"request_id", "agent_id", "workflow.run_id", "tool_use_id", "other"} {
		one.Attributes = append(one.Attributes, text(key, long))
	}
	one.Attributes = append(one.Attributes, &commonpb.KeyValue{Key: "list", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{
		ArrayValue: &commonpb.ArrayValue{Values: []*commonpb.AnyValue{{Value: &commonpb.AnyValue_StringValue{StringValue: long}}}}}}})
	s.add(of(one))
	for _, n := range s.spans {
		held := len(n.RequestID) + len(n.AgentID) + len(n.RunID) + len(n.ToolUseID)
		for _, a := range n.Attributes {
			held += len(fmt.Sprint(a.Value))
		}
		if held > s.bytes || len(n.RequestID) > maxID {
			t.Errorf("%d bytes are held, %d counted; a request's id has %d", held, s.bytes, len(n.RequestID))
		}
	}
}

// An interaction goes when it is over; what belongs to a workflow waits for it, or is put below it when it is late.
func TestApart(t *testing.T) {
	t.Parallel()
	s := NewStore(StoreOptions{})
	s.add(of(wire(2, 1), wire(3, 2), wire(4, 9, text("agent_id", "a1"), text("workflow.run_id", "wf_1")), wire(5, 8)))
	if trees := s.Apart(false); len(trees) != 0 {
		t.Errorf("too early: %+v", trees)
	}
	s.add(of(wire(1, 0)))
	if trees := s.Apart(false); len(trees) != 1 || len(trees[0].Spans) != 3 {
		t.Errorf("%+v", trees)
	}
	tree := s.Merge(workflow("wf_1", []string{"a1"}, nil))
	if len(tree.Spans) != 5 {
		t.Errorf("%d spans", len(tree.Spans))
	}
	s.add(of(wire(6, 9, text("agent_id", "a1"), text("workflow.run_id", "wf_1")), wire(7, 9, text("workflow.run_id", "wf_7"))))
	trees := s.Apart(true)
	if len(trees) != 2 || len(trees[0].Spans) != 1 || trees[0].Spans[0].ParentID != (mapping.SpanID{3}) || len(trees[1].Spans) != 2 {
		t.Errorf("%+v", trees)
	}
	if c := s.Counts(); c.Spans != 7 || c.Apart != 4 || c.Merged != 1 || c.Late != 1 || c.Unmatched != 1 {
		t.Errorf("%+v", c)
	}
}

// Below the command's span everything is in its trace.
func TestSession(t *testing.T) {
	t.Parallel()
	session := mapping.SpanContext{TraceID: mapping.TraceID{7}, SpanID: mapping.SpanID{77}, Sampled: true}
	s := NewStore(StoreOptions{Session: session})
	inside := wire(4, 0)
	inside.TraceId, inside.ParentSpanId = session.TraceID[:], session.SpanID[:]
	s.add(of(wire(2, 1), wire(1, 0), wire(3, 99), inside))
	trees := s.Apart(true)
	want := map[mapping.SpanID]mapping.SpanID{
		{9, 1}: session.SpanID, {9, 2}: {9, 1},
		{9, 3}: session.SpanID, // its parent was never sent
		{9, 4}: session.SpanID,
	}
	n := 0
	for _, tree := range trees {
		for _, one := range tree.Spans {
			n++
			if one.TraceID != session.TraceID || one.ParentID != want[one.SpanID] {
				t.Errorf("%x in %x under %x", one.SpanID, one.TraceID, one.ParentID)
			}
			moved := one.Text(mapping.KeyNativeTrace) != ""
			if moved != (one.SpanID != mapping.SpanID{9, 4}) || one.SpanID == (mapping.SpanID{9, 3}) != (one.Text(mapping.KeyNativeParent) != "") {
				t.Errorf("%x: %+v", one.SpanID, one.Attributes)
			}
		}
	}
	if n != 4 {
		t.Errorf("%d spans", n)
	}
	// One that comes after its parent went stays below it.
	s.add(of(wire(5, 1)))
	if trees := s.Apart(true); trees[0].Spans[0].ParentID != (mapping.SpanID{9, 1}) {
		t.Errorf("%+v", trees)
	}
}

// CodeBuddy Code's spans are known for what they are.
func TestCodeBuddy(t *testing.T) {
	t.Parallel()
	s := NewStore(StoreOptions{Errors: true})
	fill(t, s, bodies(t, "cbc-hello"))
	trees := s.Apart(true)
	if c := s.Counts(); c.Spans != 2 || c.Foreign > 0 || len(trees) != 1 {
		t.Fatalf("%+v, %d trees", c, len(trees))
	}
	if got := trees[0].Spans; got[0].Kind != mapping.NativeSpan || got[1].Kind != mapping.RequestSpan || got[1].OTelKind != mapping.Client || got[1].ParentID != got[0].SpanID {
		t.Errorf("%+v", got)
	}
	if got := fmt.Sprintf("%+v", trees); strings.Contains(got, "canary") || strings.Contains(got, "127.0.0.1") {
		t.Errorf("account or address left: %s", got)
	}
}

// Odd numbers and times.
func TestOddValues(t *testing.T) {
	t.Parallel()
	one := wire(1, 0, text("span.type", "llm_request"), number("input_tokens", -5), number("output_tokens", 3), number("cache_read_tokens", 1<<62))
	one.StartTimeUnixNano, one.EndTimeUnixNano = 1<<63, 0
	two := wire(2, 0, text("span.type", "llm_request"), number(mapping.KeyInput, 10), number(mapping.KeyOutput, 3), number(mapping.KeyCacheRead, 4))
	two.StartTimeUnixNano, two.EndTimeUnixNano = two.EndTimeUnixNano, two.StartTimeUnixNano
	s := NewStore(StoreOptions{})
	s.add(of(one, two))
	if u := s.order[0].Usage; u.Input != 0 || u.Output != 3 || !u.Known {
		t.Errorf("%+v", u)
	}
	if u := s.order[1].Usage; u.Input != 10 || u.Output != 3 || u.CacheRead != 4 {
		t.Errorf("%+v", u)
	}
	for _, tree := range s.Apart(true) {
		for _, got := range tree.Spans {
			if got.End.Before(got.Start) {
				t.Errorf("ends before it starts: %+v", got)
			}
		}
	}
}

// An interaction below a span of somebody else is over, too, when it has arrived.
func TestOuter(t *testing.T) {
	t.Parallel()
	s := NewStore(StoreOptions{Outer: mapping.SpanID{9, 50}})
	s.add(of(wire(1, 50), wire(2, 1), wire(3, 60)))
	trees := s.Apart(false)
	if len(trees) != 1 || len(trees[0].Spans) != 2 || trees[0].Spans[0].ParentID != (mapping.SpanID{9, 50}) {
		t.Errorf("%+v", trees)
	}
}
