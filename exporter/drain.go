package exporter

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	"cbc-otel/exporter/spool"
)

// drain sends the destination's files, unless another process is at it. The first goes alone, to see whether the
// receiver is there.
func (b *backlog) drain() {
	waiting, err := b.spool.Waiting(b.dest)
	if err != nil || len(waiting) == 0 {
		return
	}
	lock, err := b.spool.Lock(b.dest)
	if (lock == nil || err != nil) && !mutantSpoolNoLock {
		return
	}
	waiting, _ = b.spool.Waiting(b.dest) // what is there under the lock
	limit := drainRetryFor
	if b.lane.isDown() != "" {
		limit = 0
	}
	b.sendAll(withRetryLimit(b.ctx, limit), waiting, b.account)
	lock.Release()
	b.sweep()
}

// sendAll sends files until all are sent, one fails for a reason that concerns the others too, or enough is set.
func (b *backlog) sendAll(ctx context.Context, entries []spool.Entry, account func(spool.Entry, sent)) {
	units := b.units(entries)
	var next atomic.Int64
	var failed atomic.Bool
	stop := func() bool { return failed.Load() || b.enough.Load() || ctx.Err() != nil }
	one := func() bool {
		i := int(next.Add(1)) - 1
		if i >= len(units) || stop() {
			return false
		}
		for _, file := range b.loadUnit(units[i]) {
			if stop() {
				return false
			}
			s := b.send(ctx, file)
			account(file.Entry, s)
			if s.unsent > 0 && !s.reason.aboutData() {
				failed.Store(true)
			}
		}
		return true
	}
	if !one() {
		return
	}
	var workers sync.WaitGroup
	for range parallelSends {
		workers.Go(func() {
			for one() {
			}
		})
	}
	workers.Wait()
}

// sent says what became of a file.
type sent struct {
	accepted  int
	lost      map[Reason]int
	unsent    int // spans that are still in the spool
	uncertain int
	reason    Reason
	err       error
	files     map[string]int // new files with the rest of it, and their spans
}

// send sends what a file held and removes it if nothing of it is left. The destination's lock is held.
func (b *backlog) send(ctx context.Context, file loaded) sent {
	e := file.Entry
	if file.err != nil {
		return b.unreadable(e, file.err)
	}
	batch := file.batch()
	var out Outcome
	if batch.Spans > 0 {
		end := b.lane.pipeline.waits.begin()
		out = b.lane.exporter.Export(ctx, batch)
		end()
	}
	out.lose(Filtered, e.Spans-batch.Spans)
	s := sent{accepted: out.Accepted, lost: out.Lost, uncertain: out.Uncertain, reason: out.Reason, err: out.Err, files: make(map[string]int)}
	for _, rest := range out.Rest {
		s.unsent += rest.Spans
	}
	switch {
	case s.unsent == 0:
		_ = b.spool.Remove(e)
	case s.unsent < e.Spans:
		b.putRest(e, file.header, out.Rest, &s)
	case out.Reason.aboutData():
		_ = b.spool.Move(e, spool.SetAside)
	}
	return s
}

// putRest replaces a file by what is left of it, in the order that can send twice but not lose.
func (b *backlog) putRest(e spool.Entry, h spool.Header, rest []*Batch, s *sent) {
	h.Rules = b.lane.pipeline.options.Filter.Fingerprint
	for _, r := range rest {
		h.Spans = r.Spans
		data, err := proto.Marshal(r.Data)
		if err != nil {
			return
		}
		kept, removed, err := b.spool.Put(h, data)
		if err != nil {
			return
		}
		b.lane.pipeline.mu.Lock()
		b.removed(removed)
		b.lane.pipeline.mu.Unlock()
		s.files[kept.Path] = r.Spans
		if s.reason.aboutData() {
			_ = b.spool.Move(kept, spool.SetAside)
		}
	}
	_ = b.spool.Remove(e)
}

// unreadable sets a file aside that is not what was written; one that is gone was removed by the bounds.
func (b *backlog) unreadable(e spool.Entry, err error) sent {
	if errors.Is(err, fs.ErrNotExist) {
		return sent{}
	}
	b.lane.pipeline.options.Log.Warnf("%v: set aside", err)
	_ = b.spool.Move(e, spool.Corrupt)
	return sent{unsent: e.Spans, reason: BadRequest, err: err}
}

// account enters a file that was sent into the account: own spans change their class, others are counted apart.
func (b *backlog) account(e spool.Entry, s sent) {
	switch {
	case s.accepted > 0:
		b.lane.markUp()
	case s.unsent > 0:
		b.lane.markDown(s.reason)
	}
	b.puts.Lock() // a file may be sent before it is in own
	//lint:ignore SA2001 there is nothing to do but wait
	b.puts.Unlock()
	p := b.lane.pipeline
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	b.lane.report.Uncertain += s.uncertain
	_, mine := b.own[e.Path]
	if !mine {
		b.lane.report.Resent += s.accepted
		return
	}
	b.lane.report.Exported += s.accepted
	b.lane.report.Spooled -= s.accepted
	for reason, n := range s.lost {
		b.lane.report.Spooled -= n
		b.lane.report.lose(reason, n)
	}
	if s.unsent == 0 || len(s.files) > 0 {
		delete(b.own, e.Path)
	}
	for path, n := range s.files {
		b.own[path] = n
	}
}
