package exporter

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"cbc-otel/mapping"
)

// ScopeName is the instrumentation scope of every span.
const ScopeName = "cbc-otel"

// builder makes batches of trees. The spans go through the SDK, so that its sampler, limits and resource apply,
// with the ids and times they already have; the SDK's own OTLP exporter, with a client that keeps what it is
// told to upload, turns them into protobuf messages. It is used by one goroutine.
type builder struct {
	tracer   trace.Tracer
	ended    *ended
	exporter *otlptrace.Exporter
	captured *capture
	limits   limits
}

func newBuilder(o Options, s settings) *builder {
	b := &builder{ended: &ended{resource: newResource(s.resource())}, captured: &capture{}, limits: limits{spans: o.MaxSpans, bytes: o.MaxBytes}}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithResource(resource.Empty()), // see ended
		sdktrace.WithSampler(s.sampler),
		sdktrace.WithRawSpanLimits(s.spanLimits),
		sdktrace.WithIDGenerator(givenIDs{}),
		sdktrace.WithSpanProcessor(b.ended),
	)
	b.tracer = provider.Tracer(ScopeName, trace.WithInstrumentationVersion(o.Version))
	b.exporter = otlptrace.NewUnstarted(b.captured)
	return b
}

// built is what became of a tree.
type built struct {
	batches    []*Batch
	notSampled int
	trimmed    int // spans that lost content to fit into a batch
}

func (b *builder) build(t mapping.Tree) (built, error) {
	b.ended.spans = b.ended.spans[:0]
	started := make(map[mapping.SpanID]context.Context, len(t.Spans))
	for _, s := range t.Spans {
		started[s.SpanID] = b.span(started, s)
	}
	out := built{notSampled: len(t.Spans) - len(b.ended.spans)}
	b.captured.spans = nil
	if err := b.exporter.ExportSpans(context.Background(), b.ended.spans); err != nil {
		return out, err
	}
	for _, rs := range b.captured.spans {
		addLinkStates(rs, t)
		batches, trimmed := b.limits.split(rs)
		out.batches = append(out.batches, batches...)
		out.trimmed += trimmed
	}
	return out, nil
}

// addLinkStates adds the tracestate of links, which the SDK's transform leaves out.
func addLinkStates(rs *tracepb.ResourceSpans, t mapping.Tree) {
	states := make(map[mapping.SpanID][]mapping.Link)
	for _, s := range t.Spans {
		if slices.ContainsFunc(s.Links, func(l mapping.Link) bool { return l.Context.TraceState != "" }) {
			states[s.SpanID] = s.Links
		}
	}
	if len(states) == 0 {
		return
	}
	for _, ss := range rs.GetScopeSpans() {
		for _, s := range ss.GetSpans() {
			links := states[mapping.SpanID(s.GetSpanId())]
			if len(links) != len(s.GetLinks()) {
				continue // limits of the SDK took some
			}
			for i, l := range s.GetLinks() {
				l.TraceState = links[i].Context.TraceState
			}
		}
	}
}

// span starts and ends one span and returns the context its children start in.
func (b *builder) span(started map[mapping.SpanID]context.Context, s mapping.Span) context.Context {
	ctx, ok := started[s.ParentID]
	if !ok {
		ctx = parentContext(s)
	}
	options := []trace.SpanStartOption{
		trace.WithSpanKind(spanKind(s.OTelKind)),
		trace.WithTimestamp(s.Start),
		trace.WithAttributes(keyValues(s.Attributes)...),
	}
	for _, l := range s.Links {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: spanContext(l.Context), Attributes: keyValues(l.Attributes)}))
	}
	ctx, span := b.tracer.Start(withIDs(ctx, s.TraceID, s.SpanID), valid(s.Name), options...)
	for _, e := range s.Events {
		span.AddEvent(valid(e.Name), trace.WithTimestamp(e.Time), trace.WithAttributes(keyValues(e.Attributes)...))
	}
	if s.Status.Error {
		span.SetStatus(codes.Error, valid(s.Status.Description))
	}
	span.End(trace.WithTimestamp(s.End))
	return ctx
}

func spanKind(k mapping.OTelKind) trace.SpanKind {
	switch k {
	case mapping.Server:
		return trace.SpanKindServer
	case mapping.Client:
		return trace.SpanKindClient
	case mapping.Producer:
		return trace.SpanKindProducer
	case mapping.Consumer:
		return trace.SpanKindConsumer
	}
	return trace.SpanKindInternal
}

// parentContext is the context of a span whose parent is not in the tree: the inbound parent, or nothing.
func parentContext(s mapping.Span) context.Context {
	ctx := context.Background()
	if s.ParentID.IsZero() {
		return ctx
	}
	parent := s.Parent
	if parent.SpanID != s.ParentID {
		// Only the id is known; that there is a tree to export says it was sampled.
		parent = mapping.SpanContext{TraceID: s.TraceID, SpanID: s.ParentID, Sampled: true}
	}
	return trace.ContextWithRemoteSpanContext(ctx, spanContext(parent))
}

func spanContext(c mapping.SpanContext) trace.SpanContext {
	config := trace.SpanContextConfig{TraceID: trace.TraceID(c.TraceID), SpanID: trace.SpanID(c.SpanID), Remote: true}
	if c.Sampled {
		config.TraceFlags = trace.FlagsSampled
	}
	if state, err := trace.ParseTraceState(c.TraceState); err == nil {
		config.TraceState = state
	}
	return trace.NewSpanContext(config)
}

func keyValues(attrs []mapping.Attribute) []attribute.KeyValue {
	kvs := make([]attribute.KeyValue, len(attrs))
	for i, a := range attrs {
		kvs[i] = keyValue(a)
	}
	return kvs
}

func keyValue(a mapping.Attribute) attribute.KeyValue {
	key := attribute.Key(valid(a.Key))
	switch v := a.Value.(type) {
	case string:
		return key.String(valid(v))
	case int64:
		return key.Int64(v)
	case int:
		return key.Int(v)
	case bool:
		return key.Bool(v)
	case float64:
		return key.Float64(v)
	case []string:
		texts := make([]string, len(v))
		for i, s := range v {
			texts[i] = valid(s)
		}
		return key.StringSlice(texts)
	}
	return key.String(valid(fmt.Sprint(a.Value)))
}

// valid makes s valid UTF-8: one bad byte in one attribute makes protobuf refuse the whole batch.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// ended is a span processor that keeps the spans that were sampled, in the order of their ends, and gives them their
// resource: the SDK adds what the environment says to any that it is given, past the rules.
type ended struct {
	resource *resource.Resource
	spans    []sdktrace.ReadOnlySpan
}

type withResource struct {
	sdktrace.ReadOnlySpan
	resource *resource.Resource
}

func (s withResource) Resource() *resource.Resource { return s.resource }

func (*ended) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (e *ended) OnEnd(s sdktrace.ReadOnlySpan) {
	if s.SpanContext().IsSampled() {
		e.spans = append(e.spans, withResource{s, e.resource})
	}
}
func (*ended) Shutdown(context.Context) error   { return nil }
func (*ended) ForceFlush(context.Context) error { return nil }

// capture is an OTLP client that keeps what it is given.
type capture struct{ spans []*tracepb.ResourceSpans }

func (*capture) Start(context.Context) error { return nil }
func (*capture) Stop(context.Context) error  { return nil }
func (c *capture) UploadTraces(_ context.Context, spans []*tracepb.ResourceSpans) error {
	c.spans = spans
	return nil
}
