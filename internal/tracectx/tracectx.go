// Package tracectx reads the trace context a parent process left in the environment.
package tracectx

import (
	"context"

	"go.opentelemetry.io/contrib/propagators/envcar"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"cbc-otel/mapping"
)

// Inbound returns the span that TRACEPARENT and TRACESTATE name. It is zero, and ok is false, where they are
// absent or not valid by W3C Trace Context: every workflow is then the root of its own trace.
func Inbound() (parent mapping.SpanContext, ok bool) {
	return from(&envcar.Carrier{})
}

func from(carrier propagation.TextMapCarrier) (mapping.SpanContext, bool) {
	ctx := propagation.TraceContext{}.Extract(context.Background(), carrier)
	sc := trace.SpanContextFromContext(ctx)
	if !sc.IsValid() {
		return mapping.SpanContext{}, false
	}
	return mapping.SpanContext{
		TraceID:    mapping.TraceID(sc.TraceID()),
		SpanID:     mapping.SpanID(sc.SpanID()),
		Sampled:    sc.IsSampled(),
		TraceState: sc.TraceState().String(),
	}, true
}
