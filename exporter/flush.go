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

const (
	// spoolTime is kept of a flush, at most a quarter of it, for writing to the spool what could not be sent. Writing
	// takes milliseconds on a disk that works: one that has not answered for so long is not waited for.
	spoolTime = 750 * time.Millisecond
	// maxOvertime is how long a flush may go on after its time, on a machine so busy that spans are still to be built
	// and written, rather than lose them.
	maxOvertime  = 10 * time.Second
	overtimeTick = 50 * time.Millisecond

	forever = 1 << 62
)

// Flush exports what is left and ends the pipeline. It returns when everything has its place, or when ctx ends: no
// receiver and no disk is waited for any longer, only the processor, where spans still have to be built and written.
// Its report adds up: see [Report.Check].
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
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.windUp()
	}()

	stopSending := time.NewTimer(forever)
	stop := time.NewTimer(forever)
	defer stopSending.Stop()
	defer stop.Stop()
	if at, ok := ctx.Deadline(); ok {
		left := time.Until(at)
		sending := max(left-min(left/4, spoolTime), 0)
		p.until.set(time.Now().Add(sending))
		stopSending.Reset(sending)
		stop.Reset(max(left, sending+spoolTime))
	}
	var over time.Time // when sending ended
	endSending := func(cause error) {
		p.stopSend(cause)
		over = time.Now()
	}
	cancelled := ctx.Done()
	for {
		select {
		case <-done:
			p.keep()
			p.logResult()
			return
		case <-stopSending.C:
			endSending(errFlushOver)
		case <-cancelled:
			if cancelled = nil; errors.Is(ctx.Err(), context.Canceled) {
				endSending(errCut)
				stop.Reset(spoolTime)
			}
		case <-stop.C:
			if p.waits.longest(over) < spoolTime && time.Since(over) < spoolTime+maxOvertime {
				stop.Reset(overtimeTick)
				continue
			}
			p.closeAccount()
			p.keep()
			p.logResult()
			return
		}
	}
}

// windUp waits for the lanes to empty and closes what they hold.
func (p *Pipeline) windUp() {
	for _, l := range p.lanes {
		<-l.done
	}
	for _, l := range p.lanes {
		l.finishBacklog()
	}
	for _, l := range p.lanes {
		l.close(p.work)
	}
}

// keep counts as spooled what is lost here but held by the caller, who will try again: all but what a receiver will
// not have, and what was settled as spooled.
func (p *Pipeline) keep() {
	if p.options.Kept == nil || !p.options.Kept() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lanes {
		for reason, n := range l.report.Lost {
			gone := 0
			if reason == SpoolFull {
				gone = l.evicted
			}
			if n > gone && !reason.aboutData() {
				delete(l.report.Lost, reason)
				l.report.lose(reason, gone)
				l.report.Spooled += n - gone
				l.report.Reason = reason
			}
		}
	}
}

// closeAccount counts what has no place yet as lost. What still runs is left behind.
func (p *Pipeline) closeAccount() {
	p.mu.Lock()
	p.over = true
	for _, l := range p.lanes {
		l.report.lose(OutOfTime, p.made-l.report.total())
	}
	var results []TreeResult
	for tr := range p.open {
		for _, l := range p.lanes {
			tr.result.lose(l, tr.result.Spans)
		}
		results = append(results, tr.result)
	}
	clear(p.open)
	p.mu.Unlock()
	for _, r := range results {
		p.tell(r)
	}
	for _, t := range p.trees.rest() {
		r := newResult(t)
		for _, l := range p.lanes {
			r.lose(l, r.Spans)
		}
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
