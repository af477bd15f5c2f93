package mapping

import "time"

// TraceID and SpanID have the sizes of W3C trace context.
type (
	TraceID [16]byte
	SpanID  [8]byte
)

// IsZero reports whether the id is absent.
func (t TraceID) IsZero() bool { return t == TraceID{} }

// IsZero reports whether the id is absent.
func (s SpanID) IsZero() bool { return s == SpanID{} }

// SpanContext names a span of somebody else: the inbound parent or a link's target.
type SpanContext struct {
	TraceID    TraceID
	SpanID     SpanID
	Sampled    bool
	TraceState string
}

// SpanKind is the place of a span in a workflow's tree. (Its OpenTelemetry kind is always INTERNAL.)
type SpanKind string

const (
	WorkflowSpan SpanKind = "workflow"
	PhaseSpan    SpanKind = "phase"
	AgentSpan    SpanKind = "agent"
)

// Tree is one settled workflow: its root span first, then each phase in the order of its index, each
// followed by its agents in the order of theirs, then the agents outside any phase.
type Tree struct {
	TaskID string
	Spans  []Span
}

// Span is a finished span. Its values are valid UTF-8 without control characters, cut to length.
type Span struct {
	Kind       SpanKind
	TraceID    TraceID
	SpanID     SpanID
	ParentID   SpanID      // the inbound parent for a workflow in mode child, zero for a root
	Parent     SpanContext // workflow only: the inbound parent whole, for the sampler and tracestate
	Name       string
	Start, End time.Time
	Attributes []Attribute
	Events     []SpanEvent
	Links      []Link
	Status     Status
}

// Value returns the value of an attribute, nil if the span has none of that key.
func (s *Span) Value(key string) any {
	for i := range s.Attributes {
		if s.Attributes[i].Key == key {
			return s.Attributes[i].Value
		}
	}
	return nil
}

// Text is Value for a string; "" is an absent one.
func (s *Span) Text(key string) string {
	text, _ := s.Value(key).(string)
	return text
}

// Int is Value for a whole number, and whether there is one.
func (s *Span) Int(key string) (int64, bool) {
	n, ok := s.Value(key).(int64)
	return n, ok
}

// Attribute is a key with a value of type string, int64, bool, float64 or []string.
type Attribute struct {
	Key   string
	Value any
}

// SpanEvent is a point in time on a span.
type SpanEvent struct {
	Name       string
	Time       time.Time
	Attributes []Attribute
}

// Link points to a span outside the tree.
type Link struct {
	Context    SpanContext
	Attributes []Attribute
}

// Status is Unset unless Error is true. Description belongs to an error only.
type Status struct {
	Error       bool
	Description string
}
