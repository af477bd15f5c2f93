package exporter

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	colmetricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"cbc-otel/exporter/spool"
	"cbc-otel/internal/say"
	"cbc-otel/internal/statedir"
)

// The messages are built here and not by the metrics SDK: what cannot be sent has to be kept as a message, and what
// became of a request is seen where that of traces is.

// MetricOptions of a [MetricPipeline].
type MetricOptions struct {
	OTLP    OTLP  // where metrics go, with its path, complete: no variable is looked at
	Spool   Spool // in a folder of its own
	Version string
	// Spooled applies the rules of this run to what an earlier one spooled under others; Fingerprint tells rules apart.
	Spooled     func(*metricspb.MetricsData)
	Fingerprint string
	Getenv      func(string) string // for the place of the spool alone
	Now         func() time.Time
	Log         *say.Logger
}

// MetricReport is the account of the data points: Made = Exported + Spooled + those Lost.
type MetricReport struct {
	Made, Exported, Spooled int
	Lost                    map[Reason]int
	Uncertain               int // may have arrived in a request without an answer, and be there twice in the end
	Resent                  int // of earlier runs
	Endpoint                string
	Reason                  Reason // of the last failure
	Error                   string // the same in full; untrusted text
}

// MetricPipeline sends the metrics of one run. Open, Prepare when there will be something to send, Flush once.
type MetricPipeline struct {
	options MetricOptions
	target  Target
	spool   *spool.Spool // nil: there is none

	start  sync.Once
	ready  chan struct{} // what follows is set
	client *metricClient
	dest   spool.Destination
	err    error // why there is no client

	owed     context.Context // ends the sending of what earlier runs spooled
	stopOwed context.CancelFunc
	owedDone chan struct{}
	resent   int // set when owedDone is closed
}

// OpenMetrics checks the options. Nothing is dialled or written before Prepare.
func OpenMetrics(o MetricOptions) (*MetricPipeline, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.OTLP.Exact = true
	if o.OTLP.Headers == nil {
		o.OTLP.Headers = map[string]string{}
	}
	target, warnings, err := o.OTLP.Resolve(func(string) string { return "" })
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	for _, w := range warnings {
		o.Log.Once(w, say.Warn, "metrics: %s", w)
	}
	m := &MetricPipeline{options: o, target: target, spool: metricSpool(o), ready: make(chan struct{}), owedDone: make(chan struct{})}
	m.owed, m.stopOwed = context.WithCancel(context.Background())
	return m, nil
}

// metricSpool is nil without a home.
func metricSpool(o MetricOptions) *spool.Spool {
	base := o.Spool.Base
	if base == "" && o.Getenv != nil {
		base, _ = statedir.Base(o.Getenv)
	}
	if o.Spool.Off || base == "" {
		return nil
	}
	return spool.New(spool.Options{Base: base, Folder: metricFolder, MaxBytes: metricMaxBytes, MaxAge: o.Spool.MaxAge, Now: o.Now})
}

// Prepare connects in the background and sends what earlier runs spooled for the same destination.
func (m *MetricPipeline) Prepare() {
	m.start.Do(func() {
		routeLogs(m.options.Log)
		go func() {
			defer close(m.owedDone)
			m.open()
			close(m.ready)
			if m.err == nil && m.spool != nil {
				m.sendOwed()
			}
		}()
	})
}

func (m *MetricPipeline) open() {
	if m.client, m.err = newMetricClient(m.target, ScopeName+"/"+m.options.Version); m.err != nil {
		return
	}
	if m.spool == nil {
		return
	}
	var err error
	if m.dest, err = metricDestination(m.target, m.spool); err != nil {
		m.noSpool(err)
	}
}

func (m *MetricPipeline) noSpool(err error) {
	m.spool = nil
	m.options.Log.Once("metric spool", say.Warn, "metrics that cannot be sent cannot be kept for later: %v", err)
}

// Flush sends the metrics, or keeps them for later, before ctx ends, and ends the pipeline. No disk is waited for
// much longer.
func (m *MetricPipeline) Flush(ctx context.Context, d MetricData) MetricReport {
	message := encodeMetrics(d, m.options.Version)
	points := countPoints(message)
	send, cancel := context.WithCancel(ctx)
	if at, ok := ctx.Deadline(); ok {
		left := time.Until(at)
		send, cancel = context.WithTimeout(ctx, left-min(left/4, spoolTime))
	}
	defer cancel()
	m.Prepare()
	done := make(chan MetricReport, 1)
	go func() {
		r := m.deliver(send, message, points)
		m.end(send)
		r.Resent = m.resent
		done <- r
	}()
	r := MetricReport{Lost: map[Reason]int{OutOfTime: points}, Reason: OutOfTime}
	select {
	case r = <-done:
	case <-send.Done():
		timer := time.NewTimer(spoolTime)
		defer timer.Stop()
		select {
		case r = <-done:
		case <-timer.C:
		}
	}
	r.Made, r.Endpoint = points, m.target.Endpoint()
	m.log(r)
	return r
}

// Probe sends a request without data points, in place of Flush, and says what became of it: whether metrics are taken
// where they go. Nothing is spooled, nor sent of what is.
func (m *MetricPipeline) Probe(ctx context.Context) MetricReport {
	m.spool = nil
	m.Prepare()
	<-m.ready
	defer m.Close()
	r := MetricReport{Endpoint: m.target.Endpoint()}
	if m.err != nil {
		r.Reason, r.Error = Misconfig, m.err.Error()
		return r
	}
	a := m.request(ctx, &metricspb.MetricsData{})
	if r.Reason = a.reason; a.err != nil {
		r.Error = a.err.Error()
	}
	return r
}

// end lets the sending of what was spooled come to an end and closes the connection.
func (m *MetricPipeline) end(ctx context.Context) {
	timer := time.NewTimer(m.options.Spool.grace())
	defer timer.Stop()
	select {
	case <-m.owedDone:
	case <-timer.C:
	case <-ctx.Done():
	}
	m.stopOwed()
	<-m.owedDone
	m.client.closeIfOpen()
}

// Close ends a pipeline of which there is nothing to send.
func (m *MetricPipeline) Close() {
	m.stopOwed()
	m.start.Do(func() { close(m.owedDone) })
	<-m.owedDone
	m.client.closeIfOpen()
}

// deliver sends the message, or puts it into the spool.
func (m *MetricPipeline) deliver(ctx context.Context, message *metricspb.MetricsData, points int) MetricReport {
	<-m.ready
	if m.err != nil {
		return MetricReport{Lost: map[Reason]int{Misconfig: points}, Reason: Misconfig, Error: m.err.Error()}
	}
	if points == 0 {
		return MetricReport{}
	}
	if m.spool != nil {
		if down, ok := m.spool.Down(m.dest); ok {
			return m.keep(message, points, MetricReport{Reason: Reason(down.Reason)})
		}
	}
	a := m.request(ctx, message)
	r := MetricReport{Uncertain: a.uncertain * points, Reason: a.reason}
	if a.err != nil {
		r.Error = a.err.Error()
	}
	switch {
	case a.reason == "":
		rejected := int(min(max(a.rejected, 0), int64(points)))
		r.Exported = points - rejected
		if rejected > 0 {
			r.Lost, r.Reason, r.Error = map[Reason]int{Rejected: rejected}, Rejected, orElse(a.message, "no reason given")
		}
		return r
	case a.reason.aboutData():
		r.Lost = map[Reason]int{a.reason: points}
		return r
	}
	if m.spool != nil && a.reason != OutOfTime {
		_ = m.spool.MarkDown(m.dest, string(a.reason)) // without it the next run finds out by itself
	}
	return m.keep(message, points, r)
}

// request sends a message, with retries.
func (m *MetricPipeline) request(ctx context.Context, message *metricspb.MetricsData) attempt {
	ctx, cancel := context.WithTimeout(ctx, m.target.Timeout)
	defer cancel()
	patience := time.Duration(0)
	if m.spool != nil {
		patience = noConnectionFor
	}
	a := retry(ctx, patience, func(ctx context.Context) attempt {
		if ctx.Err() != nil {
			return attempt{reason: OutOfTime, err: errFlushOver}
		}
		var a attempt
		err := m.client.send(context.WithValue(ctx, attemptKey{}, &a), &colmetricspb.ExportMetricsServiceRequest{ResourceMetrics: message.GetResourceMetrics()})
		if err != nil && !a.answered {
			a.reason, a.err = BadRequest, err // it never came to a request
		}
		return a
	})
	if a.reason == TimedOut && errors.Is(ctx.Err(), context.Canceled) {
		a.reason = OutOfTime // we hung up, not the receiver
	}
	return a
}

// keep puts the message into the spool; where that is impossible it is lost.
func (m *MetricPipeline) keep(message *metricspb.MetricsData, points int, r MetricReport) MetricReport {
	if m.spool != nil {
		data, err := proto.Marshal(message)
		if err == nil {
			header := spool.Header{Destination: m.dest, Spans: points, Reason: string(r.Reason), Rules: m.options.Fingerprint, Version: m.options.Version}
			_, _, err = m.spool.Put(header, data)
		}
		if err == nil {
			r.Spooled = points
			return r
		}
		m.options.Log.Once("metric spool", say.Warn, "metrics that cannot be sent cannot be kept for later: %v", err)
	}
	r.Lost = map[Reason]int{r.Reason: points}
	return r
}

// log says what went wrong, in one line.
func (m *MetricPipeline) log(r MetricReport) {
	why := orElse(r.Error, string(r.Reason))
	switch {
	case len(r.Lost) > 0:
		lost := 0
		for _, n := range r.Lost {
			lost += n
		}
		m.options.Log.Warnf("metrics %s: %s lost (%s): %s", r.Endpoint, plural(lost, "data point"), reasons(r.Lost), why)
	case r.Spooled > 0:
		m.options.Log.Warnf("metrics %s: %s kept for later: %s", r.Endpoint, plural(r.Spooled, "data point"), why)
	}
}
