package session

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/mapping"
)

var (
	start   = time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	trace   = mapping.TraceID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	span    = mapping.SpanID{17, 18, 19, 20, 21, 22, 23, 24}
	inbound = mapping.SpanContext{TraceID: mapping.TraceID{0xaa, 15: 0xbb}, SpanID: mapping.SpanID{0xcc}, Sampled: true, TraceState: "vendor=x"}
)

// random is 24 bytes: 01 to 18 in hex.
func random() *bytes.Reader {
	b := make([]byte, 24)
	for i := range b {
		b[i] = byte(i + 1)
	}
	return bytes.NewReader(b)
}

func sampled(mapping.Span) bool { return true }

func newSession(t *testing.T, o Options) *Session {
	t.Helper()
	o.Executable, o.Start, o.Random = "claude", start, random()
	if o.Sampled == nil {
		o.Sampled = sampled
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPlace(t *testing.T) {
	t.Parallel()
	unsampled := func(mapping.Span) bool { return false }
	for _, tt := range []struct {
		name    string
		options Options
		env     []string // of the command, in the end
		parent  mapping.SpanID
		links   int
	}{
		{"alone", Options{}, []string{"A=1", "TRACEPARENT=00-0102030405060708090a0b0c0d0e0f10-1112131415161718-01"}, mapping.SpanID{}, 0},
		{"child", Options{Mode: "child", Parent: inbound},
			[]string{"A=1", "TRACEPARENT=00-aa0000000000000000000000000000bb-1112131415161718-01", "TRACESTATE=vendor=x"}, inbound.SpanID, 0},
		{"link", Options{Mode: "link", Parent: inbound}, []string{"A=1", "TRACEPARENT=00-0102030405060708090a0b0c0d0e0f10-1112131415161718-01"}, mapping.SpanID{}, 1},
		{"ignore", Options{Mode: "ignore", Parent: inbound}, []string{"A=1", "TRACEPARENT=00-0102030405060708090a0b0c0d0e0f10-1112131415161718-01"}, mapping.SpanID{}, 0},
		{"not sampled", Options{Mode: "child", Parent: inbound, Sampled: unsampled},
			[]string{"A=1", "TRACEPARENT=00-aa0000000000000000000000000000bb-1112131415161718-00", "TRACESTATE=vendor=x"}, inbound.SpanID, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, tt.options)
			env := s.Environ([]string{"TRACESTATE=vendor=x", "TRACEPARENT=00-old", "A=1"})
			if !slices.Equal(env, tt.env) {
				t.Errorf("environment %q, want %q", env, tt.env)
			}
			got := s.Close(End{At: start.Add(time.Second)}).Spans[0]
			if got.ParentID != tt.parent || len(got.Links) != tt.links {
				t.Errorf("parent %x, %d links", got.ParentID, len(got.Links))
			}
			if c := s.Context(); c.TraceID != got.TraceID || c.SpanID != got.SpanID {
				t.Errorf("context %+v of span %x in %x", c, got.SpanID, got.TraceID)
			}
		})
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	at := start.Add(2 * time.Second)
	for _, tt := range []struct {
		name   string
		end    End
		status mapping.Status
		kind   string // error.type
		code   int64
	}{
		{"success", End{PID: 7, At: at}, mapping.Status{}, "", 0},
		{"exit code", End{PID: 7, Code: 3, At: at}, mapping.Status{Error: true, Description: "exit code 3"}, "3", 3},
		{"signal", End{PID: 7, Code: 143, Signal: "SIGTERM", At: at}, mapping.Status{Error: true, Description: "signal SIGTERM"}, "SIGTERM", 143},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := mapping.Span{
				Kind: mapping.SessionSpan, OTelKind: mapping.Client, TraceID: trace, SpanID: span,
				Name: "claude", Start: start, End: at, Status: tt.status,
				Attributes: []mapping.Attribute{{Key: "process.executable.name", Value: "claude"}, {Key: "process.pid", Value: int64(7)}, {Key: "process.exit.code", Value: tt.code}},
			}
			if tt.kind != "" {
				want.Attributes = append(want.Attributes, mapping.Attribute{Key: "error.type", Value: tt.kind})
			}
			if diff := cmp.Diff(mapping.Tree{Spans: []mapping.Span{want}}, newSession(t, Options{}).Close(tt.end)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCover(t *testing.T) {
	t.Parallel()
	s := newSession(t, Options{})
	s.Cover(mapping.Tree{})
	s.Cover(mapping.Tree{Spans: []mapping.Span{{Start: start.Add(-time.Second), End: start.Add(5 * time.Second)}}})
	got := s.Close(End{At: start.Add(time.Second)}).Spans[0]
	if !got.Start.Equal(start.Add(-time.Second)) || !got.End.Equal(start.Add(5*time.Second)) {
		t.Errorf("%v to %v", got.Start, got.End)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	s := newSession(t, Options{})
	end := start.Add(time.Hour)
	got := s.Open(end).Spans[0]
	if !got.End.Equal(end) || !got.Status.Error || got.Attributes[1].Value != "interrupted" {
		t.Errorf("%+v", got)
	}
	if closed := s.Close(End{At: start}).Spans[0]; closed.Status.Error || len(closed.Attributes) != 3 {
		t.Errorf("the open span is left in the closed one: %+v", closed)
	}
}

func TestNoRandomness(t *testing.T) {
	t.Parallel()
	_, err := New(Options{Random: iotest.ErrReader(errors.New("broken")), Sampled: sampled})
	if err == nil || !strings.Contains(err.Error(), "id of a span: broken") {
		t.Errorf("error %v", err)
	}
	zeros := append(make([]byte, 16), bytes.Repeat([]byte{9}, 24)...)
	s, err := New(Options{Random: bytes.NewReader(zeros), Sampled: sampled})
	if err != nil || s.Context().TraceID.IsZero() {
		t.Errorf("zero id; %v", err)
	}
}
