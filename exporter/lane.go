package exporter

import (
	"context"
	"errors"
	"sync"

	"cbc-otel/exporter/spool"
)

// parallelSends is how many requests to a receiver are under way at a time: 10,000 spans to one that takes 200 ms for
// each are done in a second.
const parallelSends = 4

// lane is one exporter with its queue and its account. Each batch is delivered, or spooled, or held for the flush, or
// lost: nothing else.
type lane struct {
	pipeline *Pipeline
	backend  backend
	queue    *queue[*Batch]
	ctx      context.Context
	workers  sync.WaitGroup
	done     chan struct{} // no worker runs any more

	opened   sync.Once
	exporter Exporter // nil: could not be opened, openErr says why
	openErr  error

	backlog *backlog // nil: failures cannot be spooled

	// Guarded by the pipeline's mu.
	report account
	held   []*Batch // without a spool: what failed, for another try in the flush
	down   Reason   // "": nothing is known against it
	worked bool     // something was taken in this run
	gaveUp bool     // it failed during the flush
	// evicted counts spans that were spooled and then removed by the bounds, long after their tree was settled.
	evicted int
}

// account is an ExporterReport in the making.
type account struct{ ExporterReport }

func (a *account) lose(reason Reason, n int) {
	if n == 0 {
		return
	}
	if a.Lost == nil {
		a.Lost = make(map[Reason]int)
	}
	a.Lost[reason] += n
}

func (a *account) total() int { return a.Exported + a.Spooled + a.NotSampled + a.LostTotal() }

func newLane(p *Pipeline, b backend) *lane {
	l := &lane{pipeline: p, backend: b, queue: newQueue[*Batch](), ctx: p.work, done: make(chan struct{})}
	l.report.Name = b.name
	if b.remote {
		l.ctx = p.send
		l.report.Endpoint = p.settings.target.Endpoint()
		if p.settings.spool != nil {
			l.backlog = newBacklog(l, p.settings.spool)
		}
	}
	return l
}

func (l *lane) name() string { return l.backend.name }

// start starts the lane's goroutines.
func (l *lane) start() {
	n := 1
	if l.backend.remote {
		n = parallelSends
	}
	if l.backlog != nil {
		l.backlog.start()
	}
	for range n {
		l.workers.Go(func() {
			l.open()
			for {
				b, ok := l.queue.pop()
				if !ok {
					return
				}
				l.handle(l.gather(b))
			}
		})
	}
	go func() {
		l.workers.Wait()
		close(l.done)
	}()
}

func (l *lane) open() {
	l.opened.Do(func() {
		l.exporter, l.openErr = l.backend.open(&l.pipeline.options, l.pipeline.settings)
		if l.openErr != nil {
			l.exporter = nil
		}
	})
}

// gather adds to a batch for a receiver what else is waiting, as far as it fits: many small trees are few requests.
func (l *lane) gather(first *Batch) *Batch {
	if !l.backend.remote {
		return first
	}
	batches, spans, bytes := []*Batch{first}, first.Spans, first.Bytes
	for {
		next, ok := l.queue.popIf(func(b *Batch) bool {
			return spans+b.Spans <= l.pipeline.options.MaxSpans && bytes+b.Bytes <= l.pipeline.options.MaxBytes
		})
		if !ok {
			break
		}
		batches, spans, bytes = append(batches, next), spans+next.Spans, bytes+next.Bytes
	}
	if len(batches) == 1 {
		return first
	}
	return join(batches)
}

// handle delivers a batch and enters what became of it. Parts that were held although the flush had begun meanwhile
// are delivered again at once.
func (l *lane) handle(b *Batch) {
	for again := []*Batch{b}; len(again) > 0; {
		b, again = again[0], again[1:]
		again = append(again, l.settle(b, l.deliver(b))...)
	}
}

// verdict says what became of a batch in this lane.
type verdict struct {
	accepted  int
	lost      map[Reason]int
	removed   int // put into the spool, which has entered them, and removed at once by its bounds
	held      []*Batch
	reason    Reason
	err       error
	uncertain int
}

// deliver exports a batch, or puts what could not be exported where it is safe.
func (l *lane) deliver(b *Batch) verdict {
	if l.backlog != nil {
		l.backlog.init()
	}
	last := l.isFinishing() // what was begun before the flush has another chance in it
	if reason := l.isDown(); reason != "" {
		v := verdict{reason: reason}
		if l.spool(&v, b, reason) {
			return v
		}
		if !last {
			v.held = []*Batch{b}
			return v
		}
		// Without a spool it is tried after all.
	}
	out := l.export(b)
	v := verdict{accepted: out.Accepted, lost: out.Lost, uncertain: out.Uncertain, reason: out.Reason, err: out.Err}
	if len(out.Rest) == 0 {
		l.markUp()
		return v
	}
	l.markDown(out.Reason)
	for _, rest := range out.Rest {
		l.keep(&v, rest, out.Reason, last)
	}
	return v
}

func (l *lane) export(b *Batch) Outcome {
	switch {
	case l.exporter == nil:
		return failed(b, Misconfig, l.openErr)
	case l.backend.remote && l.ctx.Err() != nil:
		return failed(b, OutOfTime, context.Cause(l.ctx))
	}
	if l.backend.remote {
		defer l.pipeline.waits.begin()()
	}
	out := l.exporter.Export(l.ctx, b)
	if out.Reason == TimedOut && errors.Is(context.Cause(l.ctx), errCut) {
		out.Reason = OutOfTime // we hung up, not the receiver
	}
	return out
}

// keep puts a batch into the spool; where that is impossible it is held for another try in the flush, and lost if this
// was the last or another would come to the same.
func (l *lane) keep(v *verdict, b *Batch, reason Reason, last bool) {
	switch {
	case l.spool(v, b, reason):
	case l.backend.remote && !last && !reason.aboutData():
		v.held = append(v.held, b)
	default:
		v.lost = count(v.lost, reason, b.Spans)
	}
}

// spool puts a batch into the spool; false if it cannot be kept there.
func (l *lane) spool(v *verdict, b *Batch, reason Reason) bool {
	if !l.backlog.usable() {
		return false
	}
	kept, err := l.backlog.put(b, reason)
	if err != nil {
		if !errors.Is(err, spool.ErrTooLarge) {
			l.backlog.fail(err)
		}
		return false
	}
	if !kept {
		v.removed += b.Spans
	}
	return true
}

func count(lost map[Reason]int, reason Reason, n int) map[Reason]int {
	o := Outcome{Lost: lost}
	o.lose(reason, n)
	return o.Lost
}

// settle enters the verdict on a batch into the account. It returns what is held but to be delivered now.
func (l *lane) settle(b *Batch, v verdict) (again []*Batch) {
	p := l.pipeline
	p.mu.Lock()
	if p.over {
		p.mu.Unlock()
		return nil // counted as out of time
	}
	l.report.Exported += v.accepted
	l.report.Uncertain += v.uncertain
	lost := v.removed
	for reason, n := range v.lost {
		l.report.lose(reason, n)
		if reason != Rejected {
			lost += n
		}
	}
	if v.reason != "" {
		l.report.Reason = v.reason
	}
	if v.err != nil {
		l.report.Error = v.err.Error()
	}
	now := p.finishing
	if !now {
		l.held = append(l.held, v.held...)
	}
	for _, held := range v.held {
		for _, part := range held.each() {
			if part.tree != nil {
				part.tree.pending++ // they carry on the count
			}
		}
	}
	var results []TreeResult
	for _, part := range b.each() {
		if r, done := p.settled(part.tree, l, min(lost, part.Spans)); done {
			results = append(results, r)
		}
	}
	p.mu.Unlock()
	for _, r := range results {
		p.tell(r)
	}
	if now {
		return v.held
	}
	return nil
}

func (l *lane) isDown() Reason {
	l.pipeline.mu.Lock()
	defer l.pipeline.mu.Unlock()
	return l.down
}

func (l *lane) isFinishing() bool {
	l.pipeline.mu.Lock()
	defer l.pipeline.mu.Unlock()
	return l.pipeline.finishing
}

// markDown notes that the receiver failed; what failed for its data, or for want of time, says nothing about it.
func (l *lane) markDown(reason Reason) {
	l.pipeline.mu.Lock()
	slow := reason == TimedOut && l.worked
	says := l.backend.remote && !reason.aboutData() && reason != OutOfTime && !slow
	if says {
		l.down = reason
	}
	l.gaveUp = l.gaveUp || l.pipeline.finishing
	l.pipeline.mu.Unlock()
	if says {
		l.backlog.markDown(reason)
	}
}

func (l *lane) markUp() {
	l.pipeline.mu.Lock()
	was := l.down
	l.down, l.worked = "", true
	l.pipeline.mu.Unlock()
	if was != "" {
		l.backlog.markUp()
	}
}

// retryHeld gives what is held another try, now that the flush begins.
func (l *lane) retryHeld() {
	l.pipeline.mu.Lock()
	held := l.held
	l.held = nil
	if !l.backlog.usable() {
		l.down = ""
	}
	l.pipeline.mu.Unlock()
	for _, b := range held {
		l.queue.push(b)
	}
}
