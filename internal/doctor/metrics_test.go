package doctor_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"cbc-otel/exporter"
	"cbc-otel/internal/doctor"
	"cbc-otel/internal/otlptest"
)

// Whether metrics are taken is asked without sending any, and no reason to say that traces do not arrive.
func TestMetrics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer otlptest.Answer
		want   string
	}{
		{"taken", otlptest.Answer{}, "ok    metrics: taken by http://ADDR/v1/metrics"},
		{"no pipeline", otlptest.Answer{Status: http.StatusNotFound, Message: "404 page not found"},
			"warn  metrics: http://ADDR/v1/metrics takes no metrics: 404 Not Found: 404 page not found -> give the receiver a pipeline for metrics, " +
				"name another with metrics.endpoint or OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, or turn metrics off"},
		{"a key", otlptest.Answer{Status: http.StatusForbidden, Message: "no"},
			"warn  metrics: not taken by http://ADDR/v1/metrics (not authorized): 403 Forbidden: no -> look at what the receiver says about it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := otlptest.New(t, otlptest.Config{Fault: func(req otlptest.Request) otlptest.Answer {
				if req.Metrics == nil {
					return otlptest.Answer{}
				}
				return c.answer
			}})
			e := to(r.HTTPURL(), exporter.ProtocolHTTP).flag("metrics", "true").options(func(o *doctor.Options) {
				o.Metrics = exporter.MetricOptions{OTLP: exporter.OTLP{Endpoint: o.Settings.Metrics.OTLP.URL, Protocol: exporter.ProtocolHTTP, Timeout: o.Settings.OTLP.Timeout}}
			})
			got := e.run(t)
			want := strings.ReplaceAll(c.want, "ADDR", r.HTTPAddr())
			if !slices.Contains(got.findings, want) || !got.ok {
				t.Errorf("%v, want %s:\n%s", got.ok, want, strings.Join(got.findings, "\n"))
			}
			if points := r.Points(); len(points) > 0 {
				t.Errorf("points were sent: %v", points)
			}
		})
	}
}
