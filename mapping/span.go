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

// SpanKind is the place of a span in a tree. The mapper makes workflows, phases and agents; the others are made
// around it: the session above the workflows, and what the CLI's own telemetry tells of requests and tools.
type SpanKind string

const (
	WorkflowSpan SpanKind = "workflow"
	PhaseSpan    SpanKind = "phase"
	AgentSpan    SpanKind = "agent"
	SessionSpan  SpanKind = "session" // the command
	RequestSpan  SpanKind = "request" // of the CLI: a request to a model
	ToolSpan     SpanKind = "tool"    // of the CLI: a call of a tool
	NativeSpan   SpanKind = "native"  // of the CLI: any other
)

// OTelKind is the kind of a span in OpenTelemetry. What the mapper makes is INTERNAL.
type OTelKind uint8

const (
	Internal OTelKind = iota
	Server
	Client
	Producer
	Consumer
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
	OTelKind   OTelKind
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
	AgentIDs   []string // agent only: the ids its attempts were seen with, the latest last; not exported
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
