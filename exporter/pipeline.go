package exporter

import (
	"context"
	"slices"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

// Pipeline exports trees. Open, then Export any number, then Flush once.
type Pipeline struct {
	options  Options
	settings settings
	lanes    []*lane

	start sync.Once
	trees *queue[mapping.Tree]

	// send ends shortly before the time for a flush is over, or when it is cut short; work when it is over.
	send, work context.Context
	stopSend   context.CancelCauseFunc
	stopWork   context.CancelFunc
	until      deadline
	waits      waits

	mu        sync.Mutex // guards what follows, and the accounts of the lanes
	started   bool
	finishing bool // Flush has begun: what fails now has no later chance in this run
	over      bool // the account is closed
	made      int
	treeCount int
	trimmed   int
	open      map[*tracked]bool
}

// tracked follows a tree until nothing more will become of its spans.
type tracked struct {
	result  TreeResult
	pending int // batches, counted for each lane
	lost    map[*lane]int
}

// Open checks the options and returns a pipeline. Nothing is dialled, started or written before Prepare or Export.
// The error holds everything that is wrong, a line each, naming the setting. Close or Flush the pipeline.
func Open(o Options) (*Pipeline, error) {
	o.defaults()
	chosen, s, err := resolve(&o)
	if err != nil {
		return nil, err
	}
	p := &Pipeline{options: o, settings: s, trees: newQueue[mapping.Tree](), open: make(map[*tracked]bool)}
	p.settings.waits = &p.waits
	p.work, p.stopWork = context.WithCancel(context.Background())
	p.send, p.stopSend = context.WithCancelCause(withDeadline(p.work, &p.until))
	for _, b := range chosen {
		p.lanes = append(p.lanes, newLane(p, b))
	}
	return p, nil
}

// Check returns what Open would find wrong, and warnings about settings that work but are likely not meant.
func Check(o Options) (warnings []string, err error) {
	o.defaults()
	_, s, err := resolve(&o)
	return s.warnings, err
}

// Exporters lists the names of the exporters in use; none if there is nothing to do.
func (p *Pipeline) Exporters() []string {
	var names []string
	for _, l := range p.lanes {
		names = append(names, l.name())
	}
	return names
}

// Target is where the otlp exporter sends; ok is false if it is not in use.
func (p *Pipeline) Target() (t Target, ok bool) {
	return p.settings.target, p.settings.target.URL != nil
}

// Sampled reports whether the span would be exported if it were given now, as far as the sampler decides.
func (p *Pipeline) Sampled(s mapping.Span) bool {
	return p.settings.sampler.ShouldSample(sdktrace.SamplingParameters{
		ParentContext: parentContext(s),
		TraceID:       trace.TraceID(s.TraceID),
		Name:          valid(s.Name),
		Kind:          spanKind(s.OTelKind),
		Attributes:    keyValues(s.Attributes),
	}).Decision == sdktrace.RecordAndSample
}

// StorePath is the folder of the local store; "" if it is not in use.
func (p *Pipeline) StorePath() string { return p.settings.store }

// Prepare starts the clients in the background, and what a run does beside its own spans: sending what earlier runs
// spooled for the same destination. Call it when the first workflow starts; Export does so at the latest.
func (p *Pipeline) Prepare() {
	p.start.Do(func() {
		p.mu.Lock()
		p.started = true
		p.mu.Unlock()
		if len(p.lanes) == 0 {
			return
		}
		routeLogs(p.options.Log)
		for _, w := range p.settings.warnings {
			p.options.Log.Once(w, say.Warn, "%s", w)
		}
		for _, l := range p.lanes {
			l.start()
		}
		go p.build()
	})
}

// Export takes a tree. It never blocks and never drops one.
func (p *Pipeline) Export(t mapping.Tree) {
	if len(t.Spans) == 0 {
		return
	}
	p.mu.Lock()
	p.made += len(t.Spans)
	p.treeCount++
	p.mu.Unlock()
	p.Prepare()
	if len(p.lanes) > 0 && p.trees.push(t) {
		return
	}
	result := newResult(t)
	p.mu.Lock()
	for _, l := range p.lanes { // too late: Flush has begun
		l.report.lose(OutOfTime, len(t.Spans))
		result.lose(l, len(t.Spans))
	}
	p.mu.Unlock()
	p.tell(result)
}

func newResult(t mapping.Tree) TreeResult {
	return TreeResult{TaskID: t.TaskID, TraceID: t.Spans[0].TraceID, RootID: t.Spans[0].SpanID, Spans: len(t.Spans)}
}

// lose enters how many spans a lane lost.
func (r *TreeResult) lose(l *lane, n int) {
	r.Lost = max(r.Lost, n)
	if !slices.Contains(r.LostIn, l.name()) {
		r.LostIn = append(r.LostIn, l.name())
	}
}

func (p *Pipeline) tell(r TreeResult) {
	if p.options.OnTree != nil {
		p.options.OnTree(r)
	}
}

// build turns trees into batches for every lane, until there are no more.
func (p *Pipeline) build() {
	b := newBuilder(p.options, p.settings)
	for {
		t, ok := p.trees.pop()
		if !ok {
			break
		}
		out, err := b.build(t)
		if err != nil {
			p.options.Log.Warnf("building spans: %v", err)
		}
		p.hand(t, out, p.lengthened(b, t, out))
	}
	for _, l := range p.lanes {
		l.queue.close()
	}
}

// lengthened is out for backends elsewhere, with spans as they can take them.
func (p *Pipeline) lengthened(b *builder, t mapping.Tree, out built) built {
	remote := slices.ContainsFunc(p.lanes, func(l *lane) bool { return l.backend.remote })
	if !remote || !slices.ContainsFunc(t.Spans, noLength) {
		return out
	}
	long, err := b.build(lengthen(t))
	if err != nil || len(long.batches) != len(out.batches) {
		return out
	}
	return long
}

// hand gives the batches of a tree to the lanes: to those of backends elsewhere the ones of sent.
func (p *Pipeline) hand(t mapping.Tree, out, sent built) {
	tr := &tracked{result: newResult(t), pending: len(out.batches) * len(p.lanes), lost: make(map[*lane]int)}
	spans := out.notSampled
	for i, b := range out.batches {
		b.tree, sent.batches[i].tree = tr, tr
		spans += b.Spans
	}
	p.mu.Lock()
	if p.over {
		p.mu.Unlock()
		return // counted already
	}
	p.trimmed += out.trimmed
	for _, l := range p.lanes {
		l.report.NotSampled += out.notSampled
		l.report.lose(BadRequest, len(t.Spans)-spans) // the SDK did not take them
	}
	if tr.pending > 0 {
		p.open[tr] = true
	}
	p.mu.Unlock()
	if tr.pending == 0 {
		p.tell(tr.result)
		return
	}
	for i := range out.batches {
		for _, l := range p.lanes {
			if l.backend.remote {
				l.queue.push(sent.batches[i])
			} else {
				l.queue.push(out.batches[i])
			}
		}
	}
}

// settled notes that a lane is done with a batch of a tree, having lost so many spans of it that another try might
// save. It returns the result to tell, if that was the last. p.mu is held.
func (p *Pipeline) settled(tr *tracked, l *lane, lost int) (r TreeResult, done bool) {
	if tr == nil || !p.open[tr] {
		return r, false
	}
	tr.lost[l] += lost
	if lost > 0 {
		tr.result.lose(l, tr.lost[l])
	}
	tr.pending--
	if tr.pending > 0 {
		return r, false
	}
	delete(p.open, tr)
	return tr.result, true
}

// deadline is the end of a flush, known only once it has begun.
type deadline struct {
	mu sync.Mutex
	at time.Time
}

func (d *deadline) set(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = at
}

func (d *deadline) get() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at
}

type deadlineKey struct{}

func withDeadline(ctx context.Context, d *deadline) context.Context {
	return context.WithValue(ctx, deadlineKey{}, d)
}

// timeLeft is how long requests under ctx may still take, as far as is known.
func timeLeft(ctx context.Context) (time.Duration, bool) {
	at, ok := ctx.Deadline()
	if d, has := ctx.Value(deadlineKey{}).(*deadline); has {
		if flush := d.get(); !flush.IsZero() && (!ok || flush.Before(at)) {
			at, ok = flush, true
		}
	}
	return time.Until(at), ok
}
