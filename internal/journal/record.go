package journal

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"cbc-otel/mapping"
)

// A journal is a file of JSON lines: one header, then records. A line that does not parse (one may be
// torn) is passed over.

// Header is what a later process needs to know about the run that wrote the journal.
type Header struct {
	Version     int          `json:"version"`     // of the format
	Program     string       `json:"program"`     // version of the program
	Destination string       `json:"destination"` // where the run's spans were to go; opaque, compared only
	Rules       string       `json:"rules"`       // the privacy rules that were applied; opaque
	Resource    []jAttribute `json:"resource,omitempty"`
}

// record is one line after the header. Exactly one of its parts is set.
type record struct {
	Workflow *jWorkflow `json:"workflow,omitempty"`
	Exported string     `json:"exported,omitempty"` // key of a workflow that was accepted or spooled
	Lost     jLost      `json:"lost,omitzero"`
	All      []record   `json:"all,omitempty"` // that belong together: what was known at one moment
}

// jLost says that some exporters lost a workflow which the others have.
type jLost struct {
	Key string   `json:"key"`
	In  []string `json:"in"` // their names
}

func (l jLost) IsZero() bool { return l.Key == "" }

// jWorkflow holds the spans of one workflow that are new or differ from what earlier records hold.
type jWorkflow struct {
	Key   string   `json:"key"`
	Task  string   `json:"task"`
	At    int64    `json:"at"` // ns since the epoch: when the newest event behind it was received
	Spans []jSpan  `json:"spans"`
	Gone  []string `json:"gone,omitempty"` // ids of spans that are no longer in the tree
}

type jSpan struct {
	Kind    string       `json:"kind"`
	OTel    uint8        `json:"otel,omitempty"` // kind in OpenTelemetry
	Trace   string       `json:"trace"`
	ID      string       `json:"id"`
	Parent  string       `json:"parent,omitempty"`
	Inbound *jContext    `json:"inbound,omitempty"`
	Order   int          `json:"order"` // place in the tree
	Name    string       `json:"name"`
	Start   int64        `json:"start"`
	End     int64        `json:"end,omitempty"` // absent: still open, ends with its workflow
	Attrs   []jAttribute `json:"attributes,omitempty"`
	Events  []jEvent     `json:"events,omitempty"`
	Links   []jLink      `json:"links,omitempty"`
	Error   bool         `json:"error,omitempty"`
	Message string       `json:"message,omitempty"`
}

type jAttribute struct {
	Key    string    `json:"k"`
	String *string   `json:"s,omitempty"`
	Int    *int64    `json:"i,omitempty"`
	Float  *float64  `json:"f,omitempty"`
	Bool   *bool     `json:"b,omitempty"`
	List   *[]string `json:"l,omitempty"`
}

type jEvent struct {
	Name  string       `json:"name"`
	Time  int64        `json:"time"`
	Attrs []jAttribute `json:"attributes,omitempty"`
}

type jContext struct {
	Trace   string `json:"trace"`
	ID      string `json:"id"`
	Sampled bool   `json:"sampled,omitempty"`
	State   string `json:"state,omitempty"`
}

type jLink struct {
	Context jContext     `json:"context"`
	Attrs   []jAttribute `json:"attributes,omitempty"`
}

// Attributes converts attributes for a [Header].
func Attributes(attrs []mapping.Attribute) []jAttribute { return encodeAttributes(attrs) }

// Attributes converts the resource of a header back.
func (h Header) Attributes() []mapping.Attribute { return decodeAttributes(h.Resource) }

func encodeAttributes(attrs []mapping.Attribute) []jAttribute {
	out := make([]jAttribute, 0, len(attrs))
	for _, a := range attrs {
		j := jAttribute{Key: a.Key}
		switch v := a.Value.(type) {
		case string:
			j.String = &v
		case int64:
			j.Int = &v
		case float64:
			j.Float = &v
		case bool:
			j.Bool = &v
		case []string:
			j.List = &v
		default:
			continue // no other type can be exported either
		}
		out = append(out, j)
	}
	return out
}

func decodeAttributes(attrs []jAttribute) []mapping.Attribute {
	var out []mapping.Attribute
	for _, j := range attrs {
		a := mapping.Attribute{Key: j.Key}
		switch {
		case j.String != nil:
			a.Value = *j.String
		case j.Int != nil:
			a.Value = *j.Int
		case j.Float != nil:
			a.Value = *j.Float
		case j.Bool != nil:
			a.Value = *j.Bool
		case j.List != nil:
			a.Value = *j.List
		default:
			continue
		}
		out = append(out, a)
	}
	return out
}

func encodeContext(c mapping.SpanContext) jContext {
	return jContext{hex.EncodeToString(c.TraceID[:]), hex.EncodeToString(c.SpanID[:]), c.Sampled, c.TraceState}
}

func decodeContext(j jContext) (c mapping.SpanContext, err error) {
	c.Sampled, c.TraceState = j.Sampled, j.State
	if err := decodeID(c.TraceID[:], j.Trace); err != nil {
		return c, err
	}
	return c, decodeID(c.SpanID[:], j.ID)
}

func decodeID(dst []byte, s string) error {
	if len(s) != hex.EncodedLen(len(dst)) {
		return fmt.Errorf("id of %d digits", len(s))
	}
	_, err := hex.Decode(dst, []byte(s))
	return err
}

// encodeSpan makes a span comparable: one that is still open (it ends at openEnd) has no end.
func encodeSpan(s *mapping.Span, order int) ([]byte, error) {
	j := jSpan{
		Kind:    string(s.Kind),
		OTel:    uint8(s.OTelKind),
		Trace:   hex.EncodeToString(s.TraceID[:]),
		ID:      hex.EncodeToString(s.SpanID[:]),
		Order:   order,
		Name:    s.Name,
		Start:   s.Start.UnixNano(),
		Attrs:   encodeAttributes(s.Attributes),
		Error:   s.Status.Error,
		Message: s.Status.Description,
	}
	if !s.End.Equal(OpenEnd) {
		j.End = s.End.UnixNano()
	}
	if !s.ParentID.IsZero() {
		j.Parent = hex.EncodeToString(s.ParentID[:])
	}
	if !s.Parent.TraceID.IsZero() {
		c := encodeContext(s.Parent)
		j.Inbound = &c
	}
	for _, e := range s.Events {
		j.Events = append(j.Events, jEvent{e.Name, e.Time.UnixNano(), encodeAttributes(e.Attributes)})
	}
	for _, l := range s.Links {
		j.Links = append(j.Links, jLink{encodeContext(l.Context), encodeAttributes(l.Attributes)})
	}
	return json.Marshal(j)
}

func decodeSpan(j jSpan, at time.Time) (s mapping.Span, err error) {
	s = mapping.Span{
		Kind:       mapping.SpanKind(j.Kind),
		OTelKind:   mapping.OTelKind(j.OTel),
		Name:       j.Name,
		Start:      time.Unix(0, j.Start).UTC(),
		End:        at,
		Attributes: decodeAttributes(j.Attrs),
		Status:     mapping.Status{Error: j.Error, Description: j.Message},
	}
	if j.End != 0 {
		s.End = time.Unix(0, j.End).UTC()
	}
	if s.End.Before(s.Start) {
		s.End = s.Start
	}
	if err := decodeID(s.TraceID[:], j.Trace); err != nil {
		return s, err
	}
	if err := decodeID(s.SpanID[:], j.ID); err != nil {
		return s, err
	}
	if j.Parent != "" {
		if err := decodeID(s.ParentID[:], j.Parent); err != nil {
			return s, err
		}
	}
	if j.Inbound != nil {
		if s.Parent, err = decodeContext(*j.Inbound); err != nil {
			return s, err
		}
	}
	for _, e := range j.Events {
		s.Events = append(s.Events, mapping.SpanEvent{Name: e.Name, Time: time.Unix(0, e.Time).UTC(), Attributes: decodeAttributes(e.Attrs)})
	}
	for _, l := range j.Links {
		c, err := decodeContext(l.Context)
		if err != nil {
			return s, err
		}
		s.Links = append(s.Links, mapping.Link{Context: c, Attributes: decodeAttributes(l.Attrs)})
	}
	return s, nil
}
