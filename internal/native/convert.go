package native

import (
	"strings"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"cbc-otel/mapping"
)

// converter makes spans of protos: clean, and without what may not leave.
type converter struct {
	clean   *mapping.Cleaner
	content bool
	errors  bool // texts of errors may leave
}

// maxEvents bounds events and links of a span.
const maxEvents = 32

// span converts one, which has a trace id and a span id.
func (c *converter) span(scope string, p *tracepb.Span) *Span {
	s := &Span{
		AgentID:   c.clean.Name(findText(p.GetAttributes(), "agent_id")),
		RunID:     c.clean.Name(findText(p.GetAttributes(), "workflow.run_id")),
		ToolUseID: c.clean.Name(findText(p.GetAttributes(), "tool_use_id", "tool.call_id", "gen_ai.tool.call.id")),
		RequestID: clip(findText(p.GetAttributes(), "request_id", "request.id", "gen_ai.response.id")),
	}
	s.Kind = kind(p)
	s.Request, s.Tool = s.Kind == mapping.RequestSpan, s.Kind == mapping.ToolSpan
	copy(s.TraceID[:], p.GetTraceId())
	copy(s.SpanID[:], p.GetSpanId())
	copy(s.ParentID[:], p.GetParentSpanId())
	s.Name = c.clean.SpanName(p.GetName())
	s.OTelKind = otelKind(p.GetKind())
	s.Start, s.End = interval(p.GetStartTimeUnixNano(), p.GetEndTimeUnixNano())
	s.Attributes = append(c.attributes(p.GetAttributes()),
		mapping.Attribute{Key: mapping.KeyNativeKind, Value: string(s.Kind)},
		mapping.Attribute{Key: mapping.KeyNativeScope, Value: c.clean.Name(scope)})
	for _, e := range p.GetEvents()[:min(len(p.GetEvents()), maxEvents)] {
		at, _ := interval(e.GetTimeUnixNano(), e.GetTimeUnixNano())
		s.Events = append(s.Events, mapping.SpanEvent{Name: c.clean.Name(e.GetName()), Time: at, Attributes: c.attributes(e.GetAttributes())})
	}
	for _, l := range p.GetLinks()[:min(len(p.GetLinks()), maxEvents)] {
		link := mapping.Link{Attributes: c.attributes(l.GetAttributes())}
		copy(link.Context.TraceID[:], l.GetTraceId())
		copy(link.Context.SpanID[:], l.GetSpanId())
		link.Context.Sampled = true
		s.Links = append(s.Links, link)
	}
	if p.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
		s.Status.Error = true
		if c.errors {
			s.Status.Description = c.clean.FirstLine(p.GetStatus().GetMessage())
		}
	}
	if s.Request {
		s.Usage = usage(p.GetAttributes())
		success, said := find(p.GetAttributes(), "success").GetValue().(*commonpb.AnyValue_BoolValue)
		s.Failed = s.Status.Error || said && !success.BoolValue
	}
	return s
}

// maxID is the longest id, in bytes.
const maxID = 1024

// clip shortens an id that is compared and never shown.
func clip(id string) string {
	if len(id) <= maxID {
		return id
	}
	return strings.Clone(id[:maxID])
}

// kind is the place of a span of the CLI.
func kind(p *tracepb.Span) mapping.SpanKind {
	what := findText(p.GetAttributes(), "span.type")
	if what == "" {
		_, what, _ = strings.Cut(p.GetName(), ".")
	}
	switch what {
	case "llm_request", "model_request":
		return mapping.RequestSpan
	case "tool":
		return mapping.ToolSpan
	}
	return mapping.NativeSpan
}

func otelKind(k tracepb.Span_SpanKind) mapping.OTelKind {
	switch k {
	case tracepb.Span_SPAN_KIND_SERVER:
		return mapping.Server
	case tracepb.Span_SPAN_KIND_CLIENT:
		return mapping.Client
	case tracepb.Span_SPAN_KIND_PRODUCER:
		return mapping.Producer
	case tracepb.Span_SPAN_KIND_CONSUMER:
		return mapping.Consumer
	}
	return mapping.Internal
}

// interval reads two times; one that cannot be is the other, and both are zero if neither can.
func interval(start, end uint64) (from, to time.Time) {
	from, to = unixNano(start), unixNano(end)
	if from.IsZero() {
		from = to
	}
	if to.Before(from) {
		to = from
	}
	return from, to
}

// unixNano reads a time, to the microsecond: backends that know no smaller unit round starts and durations apart, and
// a span would seem to outlast its parent.
func unixNano(n uint64) time.Time {
	if n > 1<<62 {
		return time.Time{}
	}
	t := time.Unix(0, int64(n)).UTC().Truncate(time.Microsecond)
	if t.Before(earliest) || t.After(latest) {
		return time.Time{}
	}
	return t
}

// usage reads the tokens of a request. The CLI's own keys count what the cache saved apart; those of the conventions
// have it in the input.
func usage(list []*commonpb.KeyValue) (u Usage) {
	in, hasIn := findCount(list, "input_tokens")
	out, hasOut := findCount(list, "output_tokens", mapping.KeyOutput)
	u.CacheRead, _ = findCount(list, "cache_read_tokens", mapping.KeyCacheRead)
	u.CacheWrite, _ = findCount(list, "cache_creation_tokens", mapping.KeyCacheWrite, "gen_ai.usage.cache_write.input_tokens")
	if hasIn {
		u.Input = in + u.CacheRead + u.CacheWrite
	} else {
		u.Input, hasIn = findCount(list, mapping.KeyInput)
	}
	u.Output, u.Known = out, hasIn || hasOut
	return u
}

// cost reads what a request cost from a record of the CLI's log.
func cost(r *logspb.LogRecord) (Cost, bool) {
	if name := findText(r.GetAttributes(), "event.name"); name != "api_request" && !strings.HasSuffix(r.GetEventName(), ".api_request") {
		return Cost{}, false
	}
	c := Cost{RequestID: clip(findText(r.GetAttributes(), "request_id")), RunID: clip(findText(r.GetAttributes(), "workflow.run_id"))}
	switch v := find(r.GetAttributes(), "cost_usd").GetValue().(type) {
	case *commonpb.AnyValue_DoubleValue:
		c.USD = v.DoubleValue
	case *commonpb.AnyValue_IntValue:
		c.USD = float64(v.IntValue)
	default:
		return c, false
	}
	return c, c.RequestID != "" && c.USD >= 0 && c.USD < 1e9
}
