// Package session makes the span of the command itself, by the semantic conventions for CLI programs, and the
// environment that tells the command of it.
package session

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"cbc-otel/mapping"
)

// Options say what the span is like before the command runs.
type Options struct {
	Executable string // name of the file that is run, clean; never its arguments
	Start      time.Time

	// Parent is a span of somebody else, and Mode what it is for: child, link or ignore.
	Parent mapping.SpanContext
	Mode   string

	// Random is where the ids come from: a run of a program, unlike a workflow, is not a function of its stream.
	Random io.Reader

	// Sampled decides whether the span will be exported: the command is told.
	Sampled func(mapping.Span) bool
}

// Session is the span of one command. Its methods may be called from any goroutine.
type Session struct {
	mu      sync.Mutex
	span    mapping.Span
	sampled bool
	state   string // tracestate for those below
}

// End is how the command ended.
type End struct {
	PID    int
	Code   int    // for a death by signal 128 and its number
	Signal string // SIGTERM; "" if it exited
	At     time.Time
}

// New makes the span. Its error is that of Random.
func New(o Options) (*Session, error) {
	s := &Session{span: mapping.Span{
		Kind: mapping.SessionSpan, OTelKind: mapping.Client,
		Name: o.Executable, Start: o.Start, End: o.Start,
		Attributes: []mapping.Attribute{{Key: mapping.KeyExecutable, Value: o.Executable}},
	}}
	if err := randomID(o.Random, s.span.TraceID[:]); err != nil {
		return nil, err
	}
	if err := randomID(o.Random, s.span.SpanID[:]); err != nil {
		return nil, err
	}
	if p := o.Parent; !p.TraceID.IsZero() && !p.SpanID.IsZero() {
		switch o.Mode {
		case "child":
			s.span.TraceID, s.span.ParentID, s.span.Parent = p.TraceID, p.SpanID, p
			s.state = p.TraceState
		case "link":
			s.span.Links = []mapping.Link{{Context: p}}
		}
	}
	s.sampled = o.Sampled(s.span)
	return s, nil
}

// randomID fills id, which must not be all zeros.
func randomID(random io.Reader, id []byte) error {
	for {
		if _, err := io.ReadFull(random, id); err != nil {
			return fmt.Errorf("id of a span: %w", err)
		}
		for _, b := range id {
			if b != 0 {
				return nil
			}
		}
	}
}

// Context is the span as others refer to it.
func (s *Session) Context() mapping.SpanContext {
	return mapping.SpanContext{TraceID: s.span.TraceID, SpanID: s.span.SpanID, Sampled: s.sampled, TraceState: s.state}
}

// Cover widens the span over those of a tree below it.
func (s *Session) Cover(t mapping.Tree) {
	if len(t.Spans) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	root := &t.Spans[0]
	if root.Start.Before(s.span.Start) {
		s.span.Start = root.Start
	}
	if root.End.After(s.span.End) {
		s.span.End = root.End
	}
}

// Open is the tree of a command that runs, with an end in the future.
func (s *Session) Open(end time.Time) mapping.Tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	span := s.span
	span.End = end
	span.Attributes = append(span.Attributes[:len(span.Attributes):len(span.Attributes)], mapping.Attribute{Key: mapping.KeyErrorType, Value: "interrupted"})
	span.Status = mapping.Status{Error: true, Description: "its end was not seen"}
	return mapping.Tree{Spans: []mapping.Span{span}}
}

// Close is the tree of a command that ended.
func (s *Session) Close(end End) mapping.Tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	span := s.span
	if end.At.After(span.End) {
		span.End = end.At
	}
	attrs := append(span.Attributes[:len(span.Attributes):len(span.Attributes)],
		mapping.Attribute{Key: mapping.KeyPID, Value: int64(end.PID)},
		mapping.Attribute{Key: mapping.KeyExitCode, Value: int64(end.Code)})
	switch {
	case end.Signal != "":
		attrs = append(attrs, mapping.Attribute{Key: mapping.KeyErrorType, Value: end.Signal})
		span.Status = mapping.Status{Error: true, Description: "signal " + end.Signal}
	case end.Code != 0:
		attrs = append(attrs, mapping.Attribute{Key: mapping.KeyErrorType, Value: strconv.Itoa(end.Code)})
		span.Status = mapping.Status{Error: true, Description: "exit code " + strconv.Itoa(end.Code)}
	}
	span.Attributes = attrs
	return mapping.Tree{Spans: []mapping.Span{span}}
}
