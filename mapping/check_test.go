package mapping

import (
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// check fails for a tree that is not closed, in order, or has values that may not be exported.
func check(t testing.TB, tr Tree, o Options) {
	t.Helper()
	if len(tr.Spans) == 0 || tr.Spans[0].Kind != WorkflowSpan {
		t.Fatal("a tree without its workflow first")
	}
	byID := map[SpanID]*Span{}
	var phase *Span // the one we are in
	outside := false
	for i := range tr.Spans {
		s := &tr.Spans[i]
		if byID[s.SpanID] != nil || s.SpanID.IsZero() {
			t.Errorf("span id %x is there twice, or zero", s.SpanID)
		}
		byID[s.SpanID] = s
		if s.TraceID != tr.Spans[0].TraceID || s.TraceID.IsZero() {
			t.Errorf("%s has a trace id of its own", s.Name)
		}
		checkTime(t, s.Start)
		checkTime(t, s.End)
		if s.End.Before(s.Start) {
			t.Errorf("%s ends before it starts", s.Name)
		}
		checkValues(t, s)
		if i == 0 {
			if inbound := o.Parent.SpanID; s.ParentID != (SpanID{}) && s.ParentID != inbound {
				t.Errorf("%s hangs under %x", s.Name, s.ParentID)
			}
			continue
		}
		parent := byID[s.ParentID]
		if parent == nil {
			t.Fatalf("%s has no parent before it", s.Name)
		}
		if s.Start.Before(parent.Start) || s.End.After(parent.End) {
			t.Errorf("%s is not within %s", s.Name, parent.Name)
		}
		switch {
		case s.Kind == PhaseSpan && parent.Kind == WorkflowSpan && !outside:
			phase = s
		case s.Kind == AgentSpan && parent.Kind == PhaseSpan && parent == phase && !outside:
		case s.Kind == AgentSpan && parent.Kind == WorkflowSpan:
			outside = true
		default:
			t.Errorf("a %s under a %s, out of order", s.Kind, parent.Kind)
		}
	}
}

func checkTime(t testing.TB, when time.Time) {
	t.Helper()
	if y := when.Year(); y < 2001 || y > 2100 || when.Location() != time.UTC {
		t.Errorf("time %v", when)
	}
}

func checkValues(t testing.TB, s *Span) {
	t.Helper()
	checkText(t, s.Name, maxSpanName)
	checkText(t, s.Status.Description, maxText)
	if s.Status.Error != (attr(*s, KeyErrorType) != nil) || !s.Status.Error && s.Status.Description != "" {
		t.Errorf("%s: %+v with error.type %v", s.Name, s.Status, attr(*s, KeyErrorType))
	}
	seen := map[string]bool{}
	for _, a := range s.Attributes {
		if seen[a.Key] {
			t.Errorf("%s: %s is there twice", s.Name, a.Key)
		}
		seen[a.Key] = true
		checkValue(t, a)
	}
	for _, e := range s.Events {
		if e.Time.Before(s.Start) || e.Time.After(s.End) {
			t.Errorf("%s: %s at %v is outside the span", s.Name, e.Name, e.Time)
		}
		for _, a := range e.Attributes {
			checkValue(t, a)
		}
	}
}

func checkValue(t testing.TB, a Attribute) {
	t.Helper()
	limit := maxText
	if IsContent(a.Key) {
		limit = maxContent
	}
	switch v := a.Value.(type) {
	case string:
		if v == "" {
			t.Errorf("%s is empty, want it absent", a.Key)
		}
		checkText(t, v, limit)
	case []string:
		for _, s := range v {
			checkText(t, s, limit)
		}
	case int64, bool:
	default:
		t.Errorf("%s has a value of type %T", a.Key, v)
	}
}

func checkText(t testing.TB, s string, limit int) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%q is no UTF-8", s)
	}
	if utf8.RuneCountInString(s) > limit {
		t.Errorf("%.40q… has more than %d runes", s, limit)
	}
	for _, r := range s {
		if unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			t.Errorf("%q has %U", s, r)
		}
	}
}
