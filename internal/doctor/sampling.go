package doctor

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/mapping"
)

const samplerKey = "OTEL_TRACES_SAMPLER"

// sampling reports a sampler, or a parent in the environment, that drops every workflow. The SDK's own sampler
// decides, about spans that are sent nowhere.
func (d *doctor) sampling() {
	inherited := (d.Settings.Parent == "child" || d.Settings.Parent == "github") && !d.Parent.TraceID.IsZero()
	d.parent(inherited)
	if inherited {
		sampled := d.Parent
		sampled.Sampled = true
		switch {
		case d.sampled(childOf(d.Parent)):
			d.ok("sampling", "every workflow is exported")
		case d.sampled(childOf(sampled)):
			d.fail("sampling", "the flags 00 of TRACEPARENT say that its trace is not sampled: every workflow is dropped",
				"have the parent sampled (flags 01), or set "+d.key("trace.parent", "--parent")+" to link or ignore")
		default:
			d.fail("sampling", d.sampler()+" drops every workflow of this "+d.parentName(), "unset "+samplerKey)
		}
		return
	}
	// A ratio is decided by the second half of the trace id as a number.
	lowest, highest := root(0), root(math.MaxUint64)
	switch {
	case d.sampled(highest):
		d.ok("sampling", "every workflow is exported")
	case d.sampled(lowest):
		d.warn("sampling", d.sampler()+" drops a part of the workflows", "unset "+samplerKey+" to have all")
	default:
		d.fail("sampling", d.sampler()+" drops every workflow", "unset "+samplerKey)
	}
}

// parent reports the trace context of the environment.
func (d *doctor) parent(inherited bool) {
	switch {
	case d.Settings.Parent == "github" && strings.TrimSpace(d.getenv("TRACEPARENT")) == "" && d.Parent.TraceID.IsZero():
		d.ok("parent", "here is no GitHub run ("+d.from("trace.parent")+"): each workflow is a trace of its own")
	case strings.TrimSpace(d.getenv("TRACEPARENT")) == "" && d.Parent.TraceID.IsZero():
	case d.Parent.TraceID.IsZero():
		d.warn("parent", "TRACEPARENT is not valid and not used: each workflow is a trace of its own", "correct or unset it (W3C Trace Context: 00-TRACEID-SPANID-01, in lower case)")
	case inherited:
		d.ok("parent", fmt.Sprintf("workflows become children of span %x of trace %x (%s)", d.Parent.SpanID, d.Parent.TraceID, d.parentName()))
	case d.Settings.Parent == "link":
		d.ok("parent", fmt.Sprintf("workflows are linked to span %x of trace %x (TRACEPARENT)", d.Parent.SpanID, d.Parent.TraceID))
	default:
		d.ok("parent", "TRACEPARENT is ignored ("+d.from("trace.parent")+")")
	}
}

// parentName says where the parent comes from.
func (d *doctor) parentName() string {
	if d.GitHubRun {
		return "GitHub run"
	}
	return "TRACEPARENT"
}

// sampler names the variables that choose it, with their values.
func (d *doctor) sampler() string {
	text := samplerKey + "=" + strings.TrimSpace(d.getenv(samplerKey))
	if arg := strings.TrimSpace(d.getenv(samplerKey + "_ARG")); arg != "" {
		text += " with " + samplerKey + "_ARG=" + arg
	}
	return text
}

// sampled reports whether a span would be exported.
func (d *doctor) sampled(s mapping.Span) bool {
	o := exporter.Options{
		Exporters: []string{"console"},
		Console:   exporter.Console{Out: io.Discard},
		Spool:     exporter.Spool{Off: true},
		Getenv:    d.Exporter.Getenv,
	}
	report, err := flush(context.Background(), o, s, time.Minute) // nothing to wait for
	return err != nil || report.NotSampled == 0
}

func root(number uint64) mapping.Span {
	s := mapping.Span{Kind: mapping.WorkflowSpan, TraceID: mapping.TraceID{1}, SpanID: mapping.SpanID{1}, Name: "sample"}
	for i := range 8 {
		s.TraceID[15-i] = byte(number >> (8 * i))
	}
	return s
}

func childOf(parent mapping.SpanContext) mapping.Span {
	s := root(0)
	s.TraceID, s.ParentID, s.Parent = parent.TraceID, parent.SpanID, parent
	return s
}
