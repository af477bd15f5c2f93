package exporter

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"cbc-otel/exporter/spool"
	"cbc-otel/internal/say"
)

// Times of sending from the spool.
const (
	firstProbe = 5 * time.Second // after a failure in a long run, then twice as long each time
	maxProbe   = time.Minute
	// drainRetryFor is how long a file is tried again; not at all while the receiver counts as down.
	drainRetryFor = time.Second
)

// backlog is a lane's part of the spool: it keeps what could not be sent, and sends in the background what the same
// destination was owed. A nil backlog keeps nothing.
type backlog struct {
	lane  *lane
	spool *spool.Spool

	ready sync.Once
	works atomic.Bool
	dest  spool.Destination

	kick    chan struct{}
	quit    chan bool // one value: whether to send once more
	stopped chan struct{}
	ctx     context.Context
	cancel  context.CancelFunc
	enough  atomic.Bool // no further file is to be started

	own  map[string]int // spans by path of the files of this run; guarded by the pipeline's mu
	puts sync.Mutex     // held while a file has its name but is not in own yet
}

func newBacklog(l *lane, s *spool.Spool) *backlog {
	b := &backlog{lane: l, spool: s, kick: make(chan struct{}, 1), quit: make(chan bool, 1), stopped: make(chan struct{}), own: make(map[string]int)}
	b.ctx, b.cancel = context.WithCancel(l.ctx)
	return b
}

// init works out the destination, which may make the spool's key, and what is known about it.
func (b *backlog) init() {
	b.ready.Do(func() {
		var err error
		if b.dest, err = destination(b.lane.pipeline.settings.target, b.spool); err != nil {
			b.fail(err)
			return
		}
		b.works.Store(true)
		if down, ok := b.spool.Down(b.dest); ok {
			b.lane.pipeline.mu.Lock()
			b.lane.down = Reason(down.Reason)
			b.lane.pipeline.mu.Unlock()
		}
	})
}

// fail gives the spool up for this run, with one warning.
func (b *backlog) fail(err error) {
	b.works.Store(false)
	b.lane.pipeline.options.Log.Once("spool", say.Warn, "spans that cannot be sent cannot be kept for later: %v", err)
}

func (b *backlog) usable() bool { return b != nil && b.works.Load() }

func (b *backlog) start() { go b.run() }

func (b *backlog) run() {
	defer close(b.stopped)
	b.init()
	b.lane.open()
	if !b.usable() || b.lane.exporter == nil {
		<-b.quit
		return
	}
	b.drain()
	wait := firstProbe
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case once := <-b.quit:
			select {
			case <-b.kick: // it works again
				once = true
			default:
			}
			if once {
				b.drain()
			}
			return
		case <-b.kick:
			b.drain()
			wait = firstProbe
		case <-timer.C:
			if wait < maxProbe && b.refused() {
				wait = maxProbe
				break
			}
			b.drain()
			wait = min(2*wait, maxProbe)
		}
		timer.Reset(wait)
	}
}

// refused reports whether the receiver answered in a way that trying again soon does not change.
func (b *backlog) refused() bool {
	down := b.lane.isDown()
	return down != "" && !down.temporary()
}

// put keeps a batch, and enters it as spooled. It is not kept if the bounds removed it at once.
func (b *backlog) put(batch *Batch, reason Reason) (kept bool, err error) {
	data, err := proto.Marshal(batch.Data)
	if err != nil {
		return false, err
	}
	p := b.lane.pipeline
	header := spool.Header{Destination: b.dest, Spans: batch.Spans, Reason: string(reason), Rules: p.options.Filter.Fingerprint, Version: p.options.Version}
	end := p.waits.begin()
	b.puts.Lock()
	defer b.puts.Unlock()
	e, removed, err := b.spool.Put(header, data)
	end()
	if err != nil {
		return false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b.own[e.Path] = batch.Spans
	if !p.over {
		b.lane.report.Spooled += batch.Spans
	}
	b.removed(removed)
	_, kept = b.own[e.Path]
	if !kept {
		b.lane.evicted -= batch.Spans // its tree is not settled
	}
	return kept, nil
}

// removed enters files that the bounds removed. The pipeline's mu is held.
func (b *backlog) removed(entries []spool.Entry) {
	l := b.lane
	for _, r := range entries {
		n, mine := b.own[r.Path]
		switch {
		case l.pipeline.over: // counted already
		case mine:
			l.report.Spooled -= n
			l.report.lose(SpoolFull, n)
			l.evicted += n
		default:
			l.report.SpoolRemoved += r.Spans
		}
		delete(b.own, r.Path)
	}
}

// sweep enforces the bounds once more: while a destination is being sent its files are left alone.
func (b *backlog) sweep() {
	entries, err := b.spool.Sweep()
	if err != nil || len(entries) == 0 {
		return
	}
	p := b.lane.pipeline
	p.mu.Lock()
	defer p.mu.Unlock()
	b.removed(entries)
}

func (b *backlog) markDown(reason Reason) {
	if b.usable() {
		_ = b.spool.MarkDown(b.dest, string(reason)) // without it the next run finds out by itself
	}
}

// markUp notes that the receiver works again: what it is owed can be sent.
func (b *backlog) markUp() {
	if !b.usable() {
		return
	}
	b.spool.MarkUp(b.dest)
	select {
	case b.kick <- struct{}{}:
	default:
	}
}

// finish lets the sending come to an end: at once if there is nothing to send, else within a short time.
func (b *backlog) finish() {
	p := b.lane.pipeline
	p.mu.Lock()
	once := !b.lane.gaveUp && (b.lane.down == "" || b.lane.down.temporary())
	grace, down := p.options.Spool.grace(), b.lane.down != ""
	p.mu.Unlock()
	if down {
		grace /= 2
	}
	b.quit <- once
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-b.stopped:
		return
	case <-timer.C:
	}
	b.enough.Store(true)
	p.mu.Lock()
	down = b.lane.down != ""
	p.mu.Unlock()
	if down {
		b.cancel() // nobody answers; what is in flight stays in the spool
	}
	<-b.stopped // requests end with the time for sending
}

// finishBacklog ends the background sending, if there is any.
func (l *lane) finishBacklog() {
	if l.backlog == nil {
		return
	}
	l.backlog.finish()
	l.backlog.cancel()
	if l.backlog.usable() {
		l.backlog.sweep() // of files written at the same moment each leaves the bounds to the others
	}
}

// close closes the exporter.
func (l *lane) close(ctx context.Context) {
	if l.exporter != nil {
		if err := l.exporter.Close(ctx); err != nil {
			l.pipeline.options.Log.Debugf("%s: closing: %v", l.name(), err)
		}
	}
}
