package main

import (
	"context"
	"sync"
	"time"

	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"

	"cbc-otel/config"
	"cbc-otel/exporter"
	"cbc-otel/internal/metrics"
	"cbc-otel/internal/otlpfilter"
	"cbc-otel/internal/receipt"
	"cbc-otel/mapping"
)

// metered sums up the workflows of a run and sends that at its end. A nil one does neither.
type metered struct {
	telemetry *telemetry
	pipeline  *exporter.MetricPipeline
	delta     bool
	start     time.Time
	now       func() time.Time

	mu        sync.Mutex // trees settle on several goroutines
	collector metrics.Collector
	report    exporter.MetricReport
}

// metered returns what makes the metrics of a run, nil if the user wants none or they would go nowhere.
func (h *host) metered(t *telemetry) (*metered, error) {
	s := t.settings
	if !s.Metrics.Enabled || s.Metrics.OTLP.URL == "" || len(t.pipeline.Exporters()) == 0 {
		return nil, nil
	}
	p, err := exporter.OpenMetrics(h.metricOptions(s))
	if err != nil {
		return nil, err
	}
	return &metered{
		telemetry: t, pipeline: p, now: h.now, start: h.now(), delta: s.Metrics.Temporality != "cumulative",
		collector: metrics.Collector{WorkflowNames: s.Metrics.WorkflowName},
	}, nil
}

// metricOptions translates the settings.
func (h *host) metricOptions(s *config.Settings) exporter.MetricOptions {
	return exporter.MetricOptions{
		OTLP:        otlpOptions(s.Metrics.OTLP),
		Version:     version,
		Spooled:     func(d *metricspb.MetricsData) { otlpfilter.ApplyMetrics(s.Rules, d) },
		Fingerprint: s.Filter.Fingerprint(),
		Getenv:      h.getenv,
		Now:         h.now,
		Log:         h.log,
	}
}

// add takes in a tree after the rules.
func (m *metered) add(t mapping.Tree) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.collector.Add(t)
}

// prepare is for the first workflow's start.
func (m *metered) prepare() {
	if m != nil {
		m.pipeline.Prepare()
	}
}

// close ends what sends nothing.
func (m *metered) close() {
	if m != nil {
		m.pipeline.Close()
	}
}

// send sends what there is, beside the flush of the spans, until ctx ends. Call done to wait for it.
func (m *metered) send(ctx context.Context) (done func()) {
	if m == nil {
		return func() {}
	}
	m.mu.Lock()
	all := m.collector.Metrics()
	m.mu.Unlock()
	if len(all) == 0 {
		m.pipeline.Close()
		return func() {}
	}
	data := exporter.MetricData{
		Resource: metrics.Resource(m.telemetry.pipeline.Resource()), Metrics: all,
		Start: m.start, End: m.now(), Delta: m.delta,
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		m.report = m.pipeline.Flush(ctx, data)
	}()
	return func() { <-sent }
}

// account is the metrics' part of the receipt; nil without metrics.
func (m *metered) account() *receipt.Metrics {
	if m == nil {
		return nil
	}
	r := m.report
	out := &receipt.Metrics{Made: r.Made, Exported: r.Exported, Spooled: r.Spooled, Resent: r.Resent, Uncertain: r.Uncertain}
	reasons := map[string]int{}
	for reason, n := range r.Lost {
		out.Lost += n
		reasons[string(reason)] += n
	}
	if r.Spooled > 0 {
		reasons[string(r.Reason)] += r.Spooled
	}
	if len(reasons) > 0 {
		out.Reasons = reasons
	}
	return out
}
