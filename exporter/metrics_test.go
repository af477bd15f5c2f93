package exporter_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"

	"cbc-otel/exporter"
	"cbc-otel/internal/metrics"
	"cbc-otel/internal/otlptest"
	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

// meters are the options of a run with a home of its own that sends metrics there.
func meters(t *testing.T, r *otlptest.Receiver, protocol string) (exporter.MetricOptions, *output) {
	t.Helper()
	out := &output{}
	url := r.URL(protocol)
	if protocol != exporter.ProtocolGRPC {
		url += otlptest.MetricsPath
	}
	return exporter.MetricOptions{
		OTLP:    exporter.OTLP{Endpoint: url, Protocol: protocol, Timeout: hang, Headers: map[string]string{"x-tenant": "a b"}},
		Spool:   exporter.Spool{Base: filepath.Join(t.TempDir(), "cbc-otel"), Grace: hang},
		Version: "1.2.3",
		Now:     func() time.Time { return epoch },
		Log:     say.New(out, say.Warn),
	}, out
}

// measured is what trees of two workflows give: 5 points.
func measured(delta bool) exporter.MetricData {
	var c metrics.Collector
	for i := range 2 {
		c.Add(tree(i+1, 3))
	}
	return exporter.MetricData{
		Resource: []mapping.Attribute{{Key: "service.name", Value: "agents\xff"}, {Key: "owners", Value: []string{"a", "b"}}},
		Metrics:  c.Metrics(), Start: epoch, End: epoch.Add(time.Minute), Delta: delta,
	}
}

const points = 5

func pointLines(temporality string) []string {
	text := fmt.Sprintf(`gen_ai.invoke_workflow.duration %[1]s: 2 in 10
gen_ai.invoke_agent.duration %[1]s: 6 in 12
cbc.workflows %[1]s cbc.workflow.status=completed: 2
cbc.agents %[1]s cbc.agent.state=done: 6
cbc.tokens %[1]s: 12000`, temporality)
	return strings.Split(text, "\n")
}

func flushMetrics(t *testing.T, o exporter.MetricOptions, budget time.Duration, d exporter.MetricData) exporter.MetricReport {
	t.Helper()
	p, err := exporter.OpenMetrics(o)
	if err != nil {
		t.Fatal(err)
	}
	p.Prepare()
	ctx, cancel := context.WithTimeout(context.Background(), budget)
	defer cancel()
	r := p.Flush(ctx, d)
	lost := 0
	for _, n := range r.Lost {
		lost += n
	}
	if r.Made != points || r.Exported+r.Spooled+lost != r.Made {
		t.Errorf("the account does not add up: %+v", r)
	}
	return r
}

func TestMetricsArrive(t *testing.T) {
	t.Parallel()
	for _, protocol := range protocols {
		for _, tt := range []struct {
			temporality, compression string
			delta                    bool
		}{{"cumulative", "none", false}, {"delta", "gzip", true}} {
			t.Run(protocol+" "+tt.temporality, func(t *testing.T) {
				t.Parallel()
				r := otlptest.New(t, otlptest.Config{})
				o, out := meters(t, r, protocol)
				o.OTLP.Compression = tt.compression
				report := flushMetrics(t, o, hang, measured(tt.delta))
				if report.Exported != points || report.Reason != "" {
					t.Errorf("%+v", report)
				}
				if diff := cmp.Diff(pointLines(tt.temporality), r.Points()); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				req := r.Requests()[0]
				if req.Header.Get("x-tenant") != "a b" || !strings.HasPrefix(req.Header.Get("User-Agent"), "cbc-otel/1.2.3") || (req.Encoding == "gzip") != (tt.compression == "gzip") {
					t.Errorf("header %v, encoding %q", req.Header, req.Encoding)
				}
				checkMessage(t, req.Metrics)
				if got := out.String(); got != "" {
					t.Errorf("said %q", got)
				}
			})
		}
	}
}

// checkMessage looks at what Points does not show.
func checkMessage(t *testing.T, data *metricspb.MetricsData) {
	t.Helper()
	rm := data.GetResourceMetrics()[0]
	if got := otlptest.Text(rm.GetResource().GetAttributes()[0].GetValue()); got != "agents\ufffd" {
		t.Errorf("service.name is %q", got)
	}
	sm := rm.GetScopeMetrics()[0]
	if sm.GetScope().GetName() != "cbc-otel" || sm.GetScope().GetVersion() != "1.2.3" {
		t.Errorf("scope %v", sm.GetScope())
	}
	h := sm.GetMetrics()[0].GetHistogram().GetDataPoints()[0]
	if !slices.Equal(h.GetExplicitBounds(), []float64{1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200}) || len(h.GetBucketCounts()) != 12 ||
		h.GetBucketCounts()[1] != 2 || h.GetMin() != 5 || h.GetMax() != 5 ||
		h.GetStartTimeUnixNano() != uint64(epoch.UnixNano()) || h.GetTimeUnixNano() != uint64(epoch.Add(time.Minute).UnixNano()) {
		t.Errorf("%v", h)
	}
	if sum := sm.GetMetrics()[2].GetSum(); !sum.GetIsMonotonic() || sm.GetMetrics()[2].GetUnit() != "{workflow}" {
		t.Errorf("%v", sm.GetMetrics()[2])
	}
}

// What cannot be sent is kept, whatever the reason, within the budget, and sent by the next run.
func TestMetricsSpool(t *testing.T) {
	t.Parallel()
	for _, protocol := range protocols {
		for _, tt := range []struct {
			name   string
			fault  otlptest.Fault
			budget time.Duration
			reason exporter.Reason
		}{
			{"unavailable", otlptest.Always(otlptest.Answer{Status: 503, Message: "later"}), 2 * time.Second, exporter.Unavailable},
			{"hanging", otlptest.Always(otlptest.Answer{Hang: true}), 2 * time.Second, exporter.TimedOut},
			{"not authorized", otlptest.Always(otlptest.Answer{Status: 401, Message: "who are you"}), hang, exporter.Unauthorized},
			{"no time", nil, 0, exporter.OutOfTime},
		} {
			t.Run(protocol+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				r := otlptest.New(t, otlptest.Config{Fault: tt.fault})
				o, out := meters(t, r, protocol)
				report := flushMetrics(t, o, tt.budget, measured(true))
				// The connection may go before the request is told that its time is over.
				hungUp := tt.reason == exporter.TimedOut && report.Reason == exporter.Unreachable
				if report.Spooled != points || report.Reason != tt.reason && !hungUp {
					t.Errorf("%+v", report)
				}
				contains(t, "output", out.String(), "metrics "+report.Endpoint+": 5 data points kept for later: ")
				if got := r.Points(); len(got) > 0 {
					t.Errorf("arrived: %q", got)
				}
				r.SetFault(nil)
				o.Now = func() time.Time { return epoch.Add(6 * time.Minute) } // it does not count as down any more
				report = flushMetrics(t, o, hang, measured(true))
				if report.Exported != points || report.Resent != points {
					t.Errorf("%+v", report)
				}
				want := append(pointLines("delta"), pointLines("delta")...)
				if got := slices.Sorted(slices.Values(r.Points())); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
					t.Errorf("arrived: %q", got)
				}
			})
		}
	}
}

// A receiver that counts as down is not waited for; once it has taken what it was owed, it is up.
func TestMetricsDown(t *testing.T) {
	t.Parallel()
	r := otlptest.New(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{Status: 401})})
	o, _ := meters(t, r, exporter.ProtocolHTTP)
	flushMetrics(t, o, hang, measured(true))
	seen := len(r.Requests())
	o.Now = func() time.Time { return epoch.Add(time.Second) }
	report := flushMetrics(t, o, hang, measured(true))
	if report.Spooled != points || report.Reason != exporter.Unauthorized {
		t.Errorf("%+v", report)
	}
	if n := len(r.Requests()); n > seen+1 {
		t.Errorf("%d requests, want at most one to see whether it is back", n-seen)
	}
	p, err := exporter.OpenMetrics(o)
	if err != nil {
		t.Fatal(err)
	}
	r.SetFault(nil)
	result, err := p.SendSpool(context.Background(), false)
	if err != nil || result.Files != 2 || result.Spans != 2*points || len(result.Left) > 0 {
		t.Errorf("%+v, %v", result, err)
	}
	if report := flushMetrics(t, o, hang, measured(true)); report.Exported != points {
		t.Errorf("%+v", report)
	}
}

func TestMetricsLost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		fault  otlptest.Fault
		adapt  func(*exporter.MetricOptions)
		lost   int
		reason exporter.Reason
		said   string
	}{
		{"refused", otlptest.Always(otlptest.Answer{Status: 400, Message: "no metrics here"}), nil, points, exporter.BadRequest, "5 data points lost (refused by receiver): "},
		{"in part", otlptest.Always(otlptest.Answer{Rejected: 2, Message: "too old"}), nil, 2, exporter.Rejected, "2 data points lost (rejected by receiver): too old"},
		{"no spool", otlptest.Always(otlptest.Answer{Status: 401}), func(o *exporter.MetricOptions) { o.Spool.Off = true }, points, exporter.Unauthorized, "5 data points lost (not authorized): "},
		{"spool that cannot be", otlptest.Always(otlptest.Answer{Status: 401}), func(o *exporter.MetricOptions) {
			o.OTLP.Headers = map[string]string{}
			_ = os.MkdirAll(o.Spool.Base, 0o700)
			_ = os.WriteFile(filepath.Join(o.Spool.Base, "spool-metrics"), nil, 0o600)
		}, points, exporter.Unauthorized, "5 data points lost (not authorized): "},
	} {
		for _, protocol := range protocols {
			t.Run(protocol+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				r := otlptest.New(t, otlptest.Config{Fault: tt.fault})
				o, out := meters(t, r, protocol)
				if tt.adapt != nil {
					tt.adapt(&o)
				}
				report := flushMetrics(t, o, hang, measured(false))
				if report.Lost[tt.reason] != tt.lost || report.Spooled != 0 {
					t.Errorf("%+v", report)
				}
				contains(t, "output", out.String(), tt.said)
			})
		}
	}
}

// Rules of the run that sends apply to what another one spooled, unless they are the same.
func TestSpooledMetricsAreFiltered(t *testing.T) {
	t.Parallel()
	r := otlptest.New(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{Status: 401})})
	o, _ := meters(t, r, exporter.ProtocolHTTP)
	o.Fingerprint = "a"
	flushMetrics(t, o, hang, measured(true))
	r.SetFault(nil)
	o.Fingerprint = "b"
	o.Spooled = func(d *metricspb.MetricsData) { d.ResourceMetrics[0].Resource.Attributes = nil }
	p, err := exporter.OpenMetrics(o)
	if err != nil {
		t.Fatal(err)
	}
	if result, err := p.SendSpool(context.Background(), false); err != nil || result.Spans != points {
		t.Errorf("%+v, %v", result, err)
	}
	last := r.Requests()[len(r.Requests())-1]
	if got := last.Metrics.GetResourceMetrics()[0].GetResource().GetAttributes(); len(got) > 0 {
		t.Errorf("left with %v", got)
	}
}

// A run without a workflow connects to nothing and makes no folder.
func TestMetricsUnused(t *testing.T) {
	t.Parallel()
	r := otlptest.New(t, otlptest.Config{})
	o, _ := meters(t, r, exporter.ProtocolGRPC)
	p, err := exporter.OpenMetrics(o)
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	if _, err := os.Stat(o.Spool.Base); !os.IsNotExist(err) {
		t.Errorf("the folder: %v", err)
	}
}
