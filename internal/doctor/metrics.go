package doctor

import (
	"context"
	"slices"

	"cbc-otel/exporter"
)

// metrics asks whether metrics are taken where they go, if they are wanted: many receivers of traces take none. It is
// not asked where traces do not arrive, which would say the same in other words.
func (d *doctor) metrics(ctx context.Context) {
	m := d.Settings.Metrics
	if !m.Enabled || m.OTLP.URL == "" || !d.arrived && slices.Contains(d.Settings.Exporters, "otlp") {
		return
	}
	p, err := exporter.OpenMetrics(d.Metrics)
	if err != nil {
		d.warn("metrics", err.Error(), "correct the setting")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	switch r := p.Probe(ctx); r.Reason {
	case "":
		d.ok("metrics", "taken by "+r.Endpoint)
	case exporter.WrongService:
		d.warn("metrics", r.Endpoint+" takes no metrics: "+foreign(r.Error), "give the receiver a pipeline for metrics, name another with "+d.key("metrics.endpoint", "metrics.endpoint or OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")+", or turn metrics off")
	default:
		d.warn("metrics", "not taken by "+r.Endpoint+" ("+string(r.Reason)+"): "+foreign(r.Error), "look at what the receiver says about it")
	}
}
