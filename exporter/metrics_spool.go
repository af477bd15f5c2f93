package exporter

import (
	"context"
	"fmt"

	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"cbc-otel/exporter/spool"
)

// Metrics have a spool of their own, beside that of traces: its files hold a MetricsData message, and the number of
// spans in their headers and names is that of data points.
const (
	metricFolder   = "spool-metrics"
	metricMaxBytes = 10 << 20
)

func metricDestination(t Target, s *spool.Spool) (spool.Destination, error) {
	d, err := destination(t, s)
	d.Exporter = "otlp metrics"
	return d, err
}

// sendOwed sends what earlier runs spooled for this destination, unless another process is at it.
func (m *MetricPipeline) sendOwed() {
	waiting, err := m.spool.Waiting(m.dest)
	if err != nil || len(waiting) == 0 {
		return
	}
	lock, err := m.spool.Lock(m.dest)
	if lock == nil || err != nil {
		return
	}
	defer lock.Release()
	waiting, _ = m.spool.Waiting(m.dest) // what is there under the lock
	r := m.sendFiles(withRetryLimit(m.owed, drainRetryFor), waiting)
	m.resent = r.Spans
}

// sendFiles sends files until one fails for a reason that concerns the others too. Their lock is held. Spans of the
// result are data points.
func (m *MetricPipeline) sendFiles(ctx context.Context, files []spool.Entry) (r SpoolResult) {
	for _, e := range files {
		header, data, err := m.spool.Load(e)
		message := &metricspb.MetricsData{}
		if err == nil {
			err = proto.Unmarshal(data, message)
		}
		if err != nil {
			m.options.Log.Warnf("%v: set aside", err)
			_ = m.spool.Move(e, spool.Corrupt)
			continue
		}
		if m.options.Spooled != nil && (m.options.Fingerprint == "" || header.Rules != m.options.Fingerprint) {
			m.options.Spooled(message)
		}
		a := m.request(ctx, message)
		r.Uncertain += a.uncertain * e.Spans
		switch {
		case a.reason == "":
			rejected := int(min(max(a.rejected, 0), int64(e.Spans)))
			r.Files, r.Spans = r.Files+1, r.Spans+e.Spans-rejected
			r.Lost = count(r.Lost, Rejected, rejected)
			_ = m.spool.Remove(e)
			m.spool.MarkUp(m.dest)
		case a.reason.aboutData():
			r.Reason, r.Err = a.reason, a.err
			_ = m.spool.Move(e, spool.SetAside)
		default:
			r.Reason, r.Err = a.reason, a.err
			if a.reason != OutOfTime {
				_ = m.spool.MarkDown(m.dest, string(a.reason))
			}
			return r
		}
	}
	return r
}

// Spooled lists the files of the spool of metrics; their Spans are data points.
func (m *MetricPipeline) Spooled() ([]SpoolFile, error) {
	if m.spool == nil {
		return nil, ErrNoSpool
	}
	entries, err := m.spool.List()
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	mine, err := metricDestination(m.target, m.spool)
	if err != nil {
		return nil, err
	}
	var files []SpoolFile
	for _, e := range entries {
		f := SpoolFile{Entry: e, Mine: e.Destination == mine.ID()}
		if h, _, err := m.spool.Load(e); err == nil {
			f.Where, f.Reason = h.Destination, h.Reason
		} else {
			f.State = spool.Corrupt
		}
		files = append(files, f)
	}
	return files, nil
}

// SendSpool sends what the spool of metrics holds for this destination; with all, whatever it holds. Spans of the
// result are data points. Do not use the pipeline for anything else.
func (m *MetricPipeline) SendSpool(ctx context.Context, all bool) (r SpoolResult, err error) {
	files, err := m.Spooled()
	if err != nil || len(files) == 0 {
		return r, err
	}
	routeLogs(m.options.Log)
	m.start.Do(func() {
		m.open()
		close(m.ready)
		close(m.owedDone)
	})
	defer m.client.closeIfOpen()
	if m.err != nil {
		return r, m.err
	}
	for _, group := range byDestination(files, all) {
		lock, err := m.spool.Wait(ctx, group[0].Where)
		if err != nil {
			return r, fmt.Errorf("another process is sending to %s: %w", group[0].Where, err)
		}
		sent := m.sendFiles(ctx, stillThere(m.spool, group))
		lock.Release()
		r.Files, r.Spans, r.Uncertain = r.Files+sent.Files, r.Spans+sent.Spans, r.Uncertain+sent.Uncertain
		for reason, n := range sent.Lost {
			r.Lost = count(r.Lost, reason, n)
		}
		if sent.Reason != "" {
			r.Reason, r.Err = sent.Reason, sent.Err
			if !sent.Reason.aboutData() {
				break
			}
		}
	}
	r.Left, err = m.Spooled()
	return r, err
}
