package doctor

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/mapping"
)

// What the test span is known by.
const (
	SpanName  = "cbc-otel doctor"
	AttrLabel = "cbc.doctor" // true
)

// testSpan is a trace of its own: it belongs to no workflow, and not to the trace the environment names.
func (d *doctor) testSpan() mapping.Span {
	s := mapping.Span{
		Kind:       mapping.WorkflowSpan,
		Name:       SpanName,
		Start:      d.start,
		End:        time.Now(),
		Attributes: []mapping.Attribute{{Key: AttrLabel, Value: true}},
	}
	_, _ = rand.Read(s.TraceID[:]) // never fails
	_, _ = rand.Read(s.SpanID[:])
	return s
}

// options are those of the one exporter, for the test span: it is always sampled, kept nowhere for later, and what
// becomes of it is told by the doctor alone.
func (d *doctor) options(name string) exporter.Options {
	o := d.Exporter
	o.Exporters = []string{name}
	o.Spool = exporter.Spool{Off: true}
	o.Log, o.OnTree = nil, nil
	getenv := o.Getenv
	o.Getenv = func(key string) string {
		if strings.HasPrefix(key, samplerKey) {
			return ""
		}
		return getenv(key)
	}
	return o
}

// flush exports one span and returns what became of it.
func flush(ctx context.Context, o exporter.Options, s mapping.Span, limit time.Duration) (exporter.ExporterReport, error) {
	p, err := exporter.Open(o)
	if err != nil {
		return exporter.ExporterReport{}, err
	}
	p.Export(mapping.Tree{TaskID: SpanName, Spans: []mapping.Span{s}})
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	report := p.Flush(ctx)
	if len(report.Exporters) == 0 {
		return exporter.ExporterReport{}, nil
	}
	return report.Exporters[0], nil
}
