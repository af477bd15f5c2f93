package traces

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"cbc-otel/mapping"
)

// Wire forms of OTLP JSON, as far as they are shown (OTLP specification, "JSON Protobuf Encoding"). Decoding them
// directly is several times as fast as through the protobuf types, and a listing reads whole folders.
type (
	tracesData struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource struct {
			Attributes []keyValue `json:"attributes"`
		} `json:"resource"`
		ScopeSpans []struct {
			Spans []span `json:"spans"`
		} `json:"scopeSpans"`
	}
	span struct {
		TraceID    string     `json:"traceId"`
		SpanID     string     `json:"spanId"`
		ParentID   string     `json:"parentSpanId"`
		Name       string     `json:"name"`
		Start      integer    `json:"startTimeUnixNano"`
		End        integer    `json:"endTimeUnixNano"`
		Attributes []keyValue `json:"attributes"`
		Events     []struct {
			Time       integer    `json:"timeUnixNano"`
			Name       string     `json:"name"`
			Attributes []keyValue `json:"attributes"`
		} `json:"events"`
		Links []struct {
			TraceID    string     `json:"traceId"`
			SpanID     string     `json:"spanId"`
			TraceState string     `json:"traceState"`
			Flags      uint32     `json:"flags"`
			Attributes []keyValue `json:"attributes"`
		} `json:"links"`
		Status struct {
			Message string `json:"message"`
			Code    any    `json:"code"`
		} `json:"status"`
	}
	keyValue struct {
		Key   string   `json:"key"`
		Value anyValue `json:"value"`
	}
	anyValue struct {
		String *string  `json:"stringValue"`
		Bool   *bool    `json:"boolValue"`
		Int    *integer `json:"intValue"`
		Double any      `json:"doubleValue"` // a number, or "NaN" and the like
		Bytes  *string  `json:"bytesValue"`
		Array  *struct {
			Values []anyValue `json:"values"`
		} `json:"arrayValue"`
		List json.RawMessage `json:"kvlistValue"`
	}
)

// integer is a 64-bit integer, which OTLP JSON has as a string, and others may write as a number.
type integer string

func (i *integer) UnmarshalJSON(b []byte) error {
	if len(b) >= 2 && b[0] == '"' {
		b = b[1 : len(b)-1]
	}
	*i = integer(b)
	return nil
}

func (i integer) int64() (int64, error) {
	if i == "" || i == "null" {
		return 0, nil
	}
	return strconv.ParseInt(string(i), 10, 64)
}

// time reads nanoseconds since 1970. What is beyond 2262 comes out as the last time there is.
func (i integer) time() (time.Time, error) {
	if i == "" || i == "null" {
		return time.Unix(0, 0).UTC(), nil
	}
	n, err := strconv.ParseUint(string(i), 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	return time.Unix(0, int64(min(n, math.MaxInt64))).UTC(), nil
}

// read is a span with the resource it came with.
type read struct {
	span     mapping.Span
	resource *[]mapping.Attribute
}

// decodeLine reads one line of OTLP JSON. A span that cannot be used is left out and is the error; the others are
// returned all the same.
func decodeLine(line []byte) ([]read, error) {
	var data tracesData
	if err := json.Unmarshal(line, &data); err != nil {
		return nil, fmt.Errorf("not OTLP JSON: %w", err)
	}
	var all []read
	var bad error
	for i := range data.ResourceSpans {
		rs := &data.ResourceSpans[i]
		resource := attributes(rs.Resource.Attributes)
		for _, ss := range rs.ScopeSpans {
			for k := range ss.Spans {
				s, err := ss.Spans[k].mapped()
				if err != nil {
					bad = err
					continue
				}
				all = append(all, read{s, &resource})
			}
		}
	}
	return all, bad
}

func (s *span) mapped() (m mapping.Span, err error) {
	m = mapping.Span{Name: s.Name, Attributes: attributes(s.Attributes)}
	if err = id(m.TraceID[:], s.TraceID); err != nil {
		return m, fmt.Errorf("traceId: %w", err)
	}
	if err = id(m.SpanID[:], s.SpanID); err != nil {
		return m, fmt.Errorf("spanId: %w", err)
	}
	if s.ParentID != "" {
		if err = id(m.ParentID[:], s.ParentID); err != nil {
			return m, fmt.Errorf("parentSpanId: %w", err)
		}
	}
	if m.Start, err = s.Start.time(); err != nil {
		return m, fmt.Errorf("startTimeUnixNano: %w", err)
	}
	if m.End, err = s.End.time(); err != nil {
		return m, fmt.Errorf("endTimeUnixNano: %w", err)
	}
	if m.End.Before(m.Start) {
		m.End = m.Start
	}
	for _, e := range s.Events {
		when, err := e.Time.time()
		if err != nil {
			return m, fmt.Errorf("events: timeUnixNano: %w", err)
		}
		m.Events = append(m.Events, mapping.SpanEvent{Name: e.Name, Time: when, Attributes: attributes(e.Attributes)})
	}
	for _, l := range s.Links {
		c := mapping.SpanContext{TraceState: l.TraceState, Sampled: l.Flags&1 != 0}
		if err := errors.Join(id(c.TraceID[:], l.TraceID), id(c.SpanID[:], l.SpanID)); err != nil {
			return m, fmt.Errorf("links: %w", err)
		}
		m.Links = append(m.Links, mapping.Link{Context: c, Attributes: attributes(l.Attributes)})
	}
	if code := fmt.Sprint(s.Status.Code); code == "2" || code == "STATUS_CODE_ERROR" {
		m.Status = mapping.Status{Error: true, Description: s.Status.Message}
	}
	m.Kind = Kind(&m)
	return m, nil
}

func id(dst []byte, text string) error {
	if len(text) != hex.EncodedLen(len(dst)) {
		return fmt.Errorf("an id of %d digits, not %d", len(text), hex.EncodedLen(len(dst)))
	}
	if _, err := hex.Decode(dst, []byte(text)); err != nil {
		return errors.New("not hexadecimal")
	}
	return nil
}

func attributes(list []keyValue) []mapping.Attribute {
	out := make([]mapping.Attribute, 0, len(list))
	for _, kv := range list {
		if v := kv.Value.mapped(); v != nil {
			out = append(out, mapping.Attribute{Key: kv.Key, Value: v})
		}
	}
	return out
}

// mapped returns a value of the types that attributes have here; what is none of them as text.
func (v *anyValue) mapped() any {
	switch {
	case v.String != nil:
		return *v.String
	case v.Bool != nil:
		return *v.Bool
	case v.Int != nil:
		if n, err := v.Int.int64(); err == nil {
			return n
		}
		return string(*v.Int)
	case v.Double != nil:
		if f, ok := v.Double.(float64); ok {
			return f
		}
		return fmt.Sprint(v.Double)
	case v.Array != nil:
		list := make([]string, 0, len(v.Array.Values))
		for i := range v.Array.Values {
			if item := v.Array.Values[i].mapped(); item != nil {
				list = append(list, fmt.Sprint(item))
			}
		}
		return list
	case v.Bytes != nil:
		return *v.Bytes
	case len(v.List) > 0:
		return string(v.List)
	}
	return nil
}
