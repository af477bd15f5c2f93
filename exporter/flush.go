package exporter

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cbc-otel/internal/say"
)

// Causes of the end of sending.
var (
	errFlushOver = errors.New("the time for the flush is over")
	errCut       = errors.New("the flush was cut short")
)

// spoolTime is kept of a flush, at most a quarter of it, for writing to the spool what could not be sent; so much is
// granted after the end of sending even when no time is left. Writing takes milliseconds on a disk that works.
const spoolTime = 750 * time.Millisecond

// Flush exports what is left and ends the pipeline. It returns when everything has its place, or when ctx ends. Only if
// a disk does not take what is to be kept in that time it waits for it longer, for less than a second. Its report adds
// up: see [Report.Check].
func (p *Pipeline) Flush(ctx context.Context) Report {
	p.mu.Lock()
	started, again := p.started, p.finishing
	p.finishing = true
	p.mu.Unlock()
	if started && !again && len(p.lanes) > 0 {
		p.finish(ctx)
	}
	p.trees.close()
	p.stopSend(errCut)
	p.stopWork()
	return p.report()
}

// Close ends a pipeline without waiting for anything.
func (p *Pipeline) Close() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p.Flush(ctx)
}

func (p *Pipeline) finish(ctx context.Context) {
	for _, l := range p.lanes {
		l.retryHeld()
	}
	p.trees.close()

	// Sending ends before ctx does, everything shortly after.
	stopSending := time.NewTimer(time.Hour)
	stop := time.NewTimer(time.Hour)
	defer stopSending.Stop()
	defer stop.Stop()
	if at, ok := ctx.Deadline(); ok {
		left := time.Until(at)
		sending := left - min(left/4, spoolTime)
		p.until.set(time.Now().Add(sending))
		stopSending.Reset(max(sending, 0))
		stop.Reset(max(left, sending+spoolTime, spoolTime))
	}

	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, l := range p.lanes {
			<-l.done
		}
		for _, l := range p.lanes {
			l.finishBacklog()
		}
		for _, l := range p.lanes {
			l.close(p.work)
		}
	}()
	cancelled := ctx.Done()
	for {
		select {
		case <-done:
			p.logResult()
			return
		case <-stopSending.C:
			p.stopSend(errFlushOver)
		case <-cancelled:
			if cancelled = nil; ctx.Err() == context.Canceled {
				p.stopSend(errCut)
				stop.Reset(spoolTime)
			}
		case <-stop.C:
			p.closeAccount()
			p.logResult()
			return
		}
	}
}

// closeAccount counts what has no place yet: as kept if the caller holds the trees, else as lost. What still runs is
// left behind.
func (p *Pipeline) closeAccount() {
	kept := p.options.Kept != nil && p.options.Kept()
	p.mu.Lock()
	p.over = true
	for _, l := range p.lanes {
		rest := p.made - l.report.total()
		if rest == 0 {
			continue
		}
		if kept {
			l.report.Spooled += rest
			l.report.Reason = OutOfTime
			continue
		}
		l.report.lose(OutOfTime, rest)
	}
	var results []TreeResult
	for tr := range p.open {
		tr.result.Lost = tr.result.Spans
		results = append(results, tr.result)
	}
	clear(p.open)
	p.mu.Unlock()
	for _, r := range results {
		p.tell(r)
	}
	for _, t := range p.trees.rest() {
		r := newResult(t)
		r.Lost = r.Spans
		p.tell(r)
	}
}

func (p *Pipeline) report() Report {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := Report{Made: p.made, Trees: p.treeCount, Trimmed: p.trimmed}
	for _, l := range p.lanes {
		e := l.report.ExporterReport
		e.Lost = maps.Clone(e.Lost)
		r.Exporters = append(r.Exporters, e)
	}
	return r
}

// logResult says what went wrong, in one line for an exporter.
func (p *Pipeline) logResult() {
	for _, e := range p.report().Exporters {
		place := e.Name
		if e.Endpoint != "" {
			place += " " + e.Endpoint
		}
		why := orElse(e.Error, string(e.Reason))
		switch lost := e.LostTotal(); {
		case lost > 0:
			p.options.Log.Warnf("%s: %s lost (%s)%s: %s", place, plural(lost, "span"), reasons(e.Lost), alsoSpooled(e.Spooled), why)
		case e.Spooled > 0:
			p.options.Log.Warnf("%s: %s kept for later: %s", place, plural(e.Spooled, "span"), why)
		case e.NotSampled > 0:
			p.options.Log.Logf(say.Info, "%s: %s not sampled, as the parent's trace flags or OTEL_TRACES_SAMPLER say", place, plural(e.NotSampled, "span"))
		}
		if e.SpoolRemoved > 0 {
			p.options.Log.Warnf("%s: %s of earlier runs removed from the full spool", place, plural(e.SpoolRemoved, "span"))
		}
	}
}

func reasons(lost map[Reason]int) string {
	var all []string
	for _, reason := range slices.Sorted(maps.Keys(lost)) {
		all = append(all, string(reason))
	}
	return strings.Join(all, ", ")
}

func alsoSpooled(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d kept for later", n)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
