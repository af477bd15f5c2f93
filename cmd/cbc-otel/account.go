package main

import (
	"errors"
	"os"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/filter"
	"cbc-otel/internal/receipt"
	"cbc-otel/internal/stream"
	"cbc-otel/mapping"
)

// account collects what a run did and tells it at the end: a line at info, and the JSON of --receipt.
type account struct {
	host *host
	path string // of --receipt, or ""
	receipt.Receipt
}

func (h *host) account(path string) *account {
	return &account{host: h, path: path, Receipt: receipt.Receipt{Version: version, Exporters: map[string]receipt.Exporter{}}}
}

// add counts what passed and what was made of it.
func (a *account) add(c stream.Counts, m mapping.Stats) {
	a.Stdout.Bytes += c.Bytes
	a.Stdout.Lines += c.Lines
	a.Events.Seen += c.Events
	a.Events.Unparsable += c.Unparsable
	a.Events.Oversize += c.Oversize
	a.Events.Late += int64(m.Late)
	a.Spans.Workflows += m.Workflows
	a.Spans.Phases += m.Phases
	a.Spans.Agents += m.Agents
	a.Spans.Made += m.Workflows + m.Phases + m.Agents
}

// close adds where the spans went and tells it all.
func (a *account) close(hits filter.Hits, report exporter.Report, added time.Duration) {
	a.Spans.Made += a.Spans.Sessions + a.Spans.Native
	a.Spans.Filtered = a.Spans.Made - report.Made
	for _, e := range report.Exporters {
		one := receipt.Exporter{Exported: e.Exported, Spooled: e.Spooled, Lost: e.LostTotal(), NotSampled: e.NotSampled}
		for reason, n := range e.Lost {
			one.Reason(string(reason), n)
		}
		if e.Spooled > 0 {
			one.Reason(string(e.Reason), e.Spooled)
		}
		a.Exporters[e.Name] = one
	}
	for _, rule := range hits.Rules {
		if rule.Count > 0 {
			a.Hit(rule.Rule, rule.Count)
		}
	}
	a.AddedMS = float64(added) / float64(time.Millisecond)
	a.host.log.Infof("%s", a.Line())
	if a.path == "" {
		return
	}
	if err := a.write(); err != nil {
		a.host.log.Errorf("%v", err)
	}
}

// write refuses what is our standard output: nothing of ours may get into it.
func (a *account) write() error {
	if a.host.isStdout(a.path) {
		return errors.New("receipt: " + a.path + " is standard output")
	}
	return a.Write(a.path)
}

// isStdout reports whether the file is what standard output is, or was at the start: the descriptor is let go when
// the consumer is.
func (h *host) isStdout(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if h.stdout != nil && os.SameFile(h.stdout, info) {
		return true
	}
	now, err := os.Stdout.Stat()
	return err == nil && os.SameFile(now, info)
}
