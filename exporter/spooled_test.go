package exporter_test

import (
	"slices"
	"sync/atomic"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"cbc-otel/exporter"
	"cbc-otel/internal/otlptest"
)

// The rules of the run that sends apply to what an earlier run spooled, unless they are the same.
func TestSpooledIsFiltered(t *testing.T) {
	t.Parallel()
	for _, fingerprint := range []string{"", "other", "same"} {
		r := otlptest.New(t, otlptest.Config{})
		dead(r)
		o, _ := toReceiver(t, r.HTTPURL(), exporter.ProtocolHTTP)
		o.Filter.Fingerprint = "same"
		run(t, o, hang, tree(1, 2))
		up(t, r, o.Spool.Base)
		o.Filter.Fingerprint = fingerprint
		o.Filter.Spooled = func(traces ...*tracepb.TracesData) {
			ss := traces[0].ResourceSpans[0].ScopeSpans[0]
			ss.Spans = ss.Spans[:3]
			ss.Spans[0].Name = "hidden"
			ss.Spans[1].Attributes = []*commonpb.KeyValue{}
		}
		run(t, o, hang, tree(2, 0))
		var names []string
		for _, s := range r.Spans() {
			if s.ID()[:32] == ids(tree(1, 0))[0][:32] {
				names = append(names, s.Name)
			}
		}
		slices.Sort(names)
		want := []string{"hidden", "invoke_agent scout-1", "phase Gather"}
		if fingerprint == "same" {
			want = []string{"invoke_agent scout-1", "invoke_agent scout-2", "invoke_workflow audit", "phase Gather"}
		}
		if !slices.Equal(names, want) {
			t.Errorf("fingerprint %q: sent %v, want %v", fingerprint, names, want)
		}
		if left := spoolFiles(t, o.Spool.Base); len(left) != 0 {
			t.Errorf("left %+v", left)
		}
	}
}

// What one run spooled is filtered together, in however many files it is: a tree that is dropped leaves nothing behind.
// Should it be cut short, the files with what is above the rest are left.
func TestSpooledIsFilteredTogether(t *testing.T) {
	t.Parallel()
	r := otlptest.New(t, otlptest.Config{})
	dead(r)
	o, _ := toReceiver(t, r.HTTPURL(), exporter.ProtocolHTTP)
	run(t, o, hang, tree(1, 1200), tree(2, 5))
	if n := len(spoolFiles(t, o.Spool.Base)); n < 3 {
		t.Fatalf("%d files", n)
	}
	up(t, r, o.Spool.Base)
	var calls atomic.Int32
	o.Filter.Fingerprint = "other"
	o.Filter.Spooled = func(traces ...*tracepb.TracesData) {
		calls.Add(1)
		total := 0
		for _, td := range traces {
			total += len(otlptest.Flatten(td))
			td.ResourceSpans = nil
		}
		if total != 1202+7 {
			t.Errorf("%d spans are filtered together", total)
		}
	}
	if e := one(t, run(t, o, hang, tree(3, 1))); e.Resent != 0 || e.Exported != 3 || calls.Load() != 1 {
		t.Errorf("filtered %d times, report %+v", calls.Load(), e)
	}
	arrived(t, r, tree(3, 1))
	if left := spoolFiles(t, o.Spool.Base); len(left) != 0 {
		t.Errorf("left %+v", left)
	}
}
