package tracectx

import (
	"testing"

	"go.opentelemetry.io/otel/propagation"
)

func TestInbound(t *testing.T) {
	t.Parallel()
	const id, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	tests := []struct {
		name, traceparent, tracestate string
		ok, sampled                   bool
		state                         string
	}{
		{name: "absent"},
		{name: "valid", traceparent: "00-" + id + "-" + span + "-01", ok: true, sampled: true},
		{name: "not sampled", traceparent: "00-" + id + "-" + span + "-00", ok: true},
		{name: "with state", traceparent: "00-" + id + "-" + span + "-01", tracestate: "vendor=x,other=y", ok: true, sampled: true, state: "vendor=x,other=y"},
		{name: "broken state is dropped, the parent stays", traceparent: "00-" + id + "-" + span + "-01", tracestate: "====", ok: true, sampled: true},
		{name: "future version", traceparent: "01-" + id + "-" + span + "-01-more", ok: true, sampled: true},
		{name: "all zeros trace", traceparent: "00-00000000000000000000000000000000-" + span + "-01"},
		{name: "all zeros span", traceparent: "00-" + id + "-0000000000000000-01"},
		{name: "upper case", traceparent: "00-0AF7651916CD43DD8448EB211C80319C-" + span + "-01"},
		{name: "version ff", traceparent: "ff-" + id + "-" + span + "-01"},
		{name: "garbage", traceparent: "hello"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			parent, ok := from(propagation.MapCarrier{"traceparent": test.traceparent, "tracestate": test.tracestate})
			if ok != test.ok || parent.Sampled != test.sampled || parent.TraceState != test.state {
				t.Errorf("got %+v, %v", parent, ok)
			}
			if ok && (parent.TraceID.IsZero() || parent.SpanID.IsZero()) {
				t.Errorf("zero ids in %+v", parent)
			}
		})
	}
}

func TestInboundReadsTheEnvironment(t *testing.T) {
	t.Setenv("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	t.Setenv("TRACESTATE", "vendor=x")
	if parent, ok := Inbound(); !ok || parent.TraceState != "vendor=x" {
		t.Errorf("got %+v, %v", parent, ok)
	}
}
