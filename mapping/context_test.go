package mapping

import "testing"

func TestParentModes(t *testing.T) {
	t.Parallel()
	inbound := SpanContext{TraceID: TraceID{1, 2}, SpanID: SpanID{3}, Sampled: true, TraceState: "a=b"}
	own := single(t, Options{}, started(0))
	for name, test := range map[string]struct {
		options      Options
		child, links bool
	}{
		"child":            {Options{Parent: inbound, ParentMode: "child"}, true, false},
		"the default":      {Options{Parent: inbound}, true, false},
		"link":             {Options{Parent: inbound, ParentMode: "link"}, false, true},
		"ignore":           {Options{Parent: inbound, ParentMode: "ignore"}, false, false},
		"no parent":        {Options{ParentMode: "child"}, false, false},
		"no span id":       {Options{Parent: SpanContext{TraceID: inbound.TraceID}, ParentMode: "child"}, false, false},
		"no trace id":      {Options{Parent: SpanContext{SpanID: inbound.SpanID}, ParentMode: "link"}, false, false},
		"flag 00 is still": {Options{Parent: SpanContext{TraceID: inbound.TraceID, SpanID: inbound.SpanID}}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := root(single(t, test.options, started(0), snapshot(1, inPhase(1, "P", done(1, 1, 2)))))
			if test.child {
				if s.TraceID != inbound.TraceID || s.ParentID != inbound.SpanID || s.Parent != test.options.Parent {
					t.Errorf("%x under %x, %+v", s.TraceID, s.ParentID, s.Parent)
				}
				if s.SpanID == root(own).SpanID {
					t.Error("span ids do not depend on the trace id in use")
				}
			} else if s.TraceID != root(own).TraceID || !s.ParentID.IsZero() || s.Parent != (SpanContext{}) || s.SpanID != root(own).SpanID {
				t.Errorf("%x under %x", s.TraceID, s.ParentID)
			}
			if test.links != (len(s.Links) == 1) || test.links && s.Links[0].Context != inbound {
				t.Errorf("links %+v", s.Links)
			}
		})
	}
}

// Two workflows under one parent share its trace and nothing else.
func TestSiblings(t *testing.T) {
	t.Parallel()
	o := Options{Parent: SpanContext{TraceID: TraceID{1}, SpanID: SpanID{2}}}
	other := started(1)
	other.TaskID = "t2"
	trees := run(o, started(0), other)
	if len(trees) != 2 {
		t.Fatalf("%d trees", len(trees))
	}
	if a, b := root(trees[0]), root(trees[1]); a.SpanID == b.SpanID || a.TraceID != b.TraceID {
		t.Errorf("%x %x", a.SpanID, b.SpanID)
	}
}
