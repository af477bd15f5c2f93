// Package doctor finds out why traces do not arrive, before anybody misses them.
//
// [Run] prints the configuration in effect, then a checklist: what turns telemetry off, whether the endpoint can be
// reached and what is really there, and whether a test span is accepted. Each finding is one line: ok, warn or FAIL,
// what, and what to do. The test span goes through the same exporters as the spans of a run.
package doctor

import (
	"context"
	"io"
	"io/fs"
	"time"

	"cbc-otel/config"
	"cbc-otel/exporter"
	"cbc-otel/mapping"
)

// Options of an examination. All of it is as for a run, so that what is found holds for runs.
type Options struct {
	Settings  *config.Settings
	Errors    config.Errors          // of config.Load
	Exporter  exporter.Options       // made of Settings; its Getenv is asked about variables
	Metrics   exporter.MetricOptions // the same for metrics, if they are wanted
	Parent    mapping.SpanContext    // that the environment names; zero: none
	GitHubRun bool                   // Parent is the run of GitHub Actions, not TRACEPARENT
	Stderr    fs.FileInfo            // of descriptor 2; nil: unknown
	Out       io.Writer              // takes the lines, one in each write, cleaned and without secrets
}

// defaultTimeout bounds each step on the network where the settings leave no time for a flush.
const defaultTimeout = 5 * time.Second

// Run examines everything and prints what it finds. It is true only if a trace would arrive with every exporter in
// use. Each step on the network takes the flush timeout at most.
func Run(ctx context.Context, o Options) (ok bool) {
	if o.Exporter.Getenv == nil {
		o.Exporter.Getenv = func(string) string { return "" }
	}
	d := &doctor{Options: o, timeout: o.Settings.FlushTimeout, start: time.Now(), said: make(map[string]bool)}
	if d.timeout <= 0 {
		d.timeout = defaultTimeout
	}
	d.examine(ctx)
	return d.verdict()
}

// doctor is one examination.
type doctor struct {
	Options
	timeout time.Duration // of a step
	start   time.Time
	arrived bool            // the receiver took the test span
	said    map[string]bool // warnings of the exporters, to say each once
	failed  int
	warned  int
}

func (d *doctor) examine(ctx context.Context) {
	if !d.configuration() {
		return // what is in effect is not what was meant
	}
	d.switches()
	if len(d.Settings.Exporters) == 0 {
		return
	}
	d.sampling()
	d.rules()
	for _, name := range d.Settings.Exporters {
		switch name {
		case "otlp":
			d.otlp(ctx)
			d.spool()
		case "file":
			d.file(ctx)
		case "console":
			d.console(ctx)
		}
	}
	d.metrics(ctx)
}

// verdict prints the last line.
func (d *doctor) verdict() bool {
	switch {
	case d.failed > 0:
		d.line("FAIL", "result", "no trace would arrive: "+plural(d.failed, "problem"), "")
	case d.warned > 0:
		d.line("ok", "result", "a trace would arrive; "+plural(d.warned, "warning"), "")
	default:
		d.line("ok", "result", "a trace would arrive", "")
	}
	return d.failed == 0
}

func (d *doctor) getenv(key string) string { return d.Exporter.Getenv(key) }
