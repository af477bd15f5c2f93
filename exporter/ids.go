package exporter

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"cbc-otel/mapping"
)

// givenIDs is an SDK id generator that takes the ids from the context given to Tracer.Start.
type givenIDs struct{}

type ids struct {
	trace mapping.TraceID
	span  mapping.SpanID
}

type idsKey struct{}

func withIDs(ctx context.Context, t mapping.TraceID, s mapping.SpanID) context.Context {
	return context.WithValue(ctx, idsKey{}, ids{t, s})
}

// NewIDs returns the ids of a span without a parent.
func (givenIDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	given, _ := ctx.Value(idsKey{}).(ids)
	return trace.TraceID(given.trace), trace.SpanID(given.span)
}

// NewSpanID returns the id of a span with a parent, whose trace it shares.
func (givenIDs) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	given, _ := ctx.Value(idsKey{}).(ids)
	return trace.SpanID(given.span)
}
