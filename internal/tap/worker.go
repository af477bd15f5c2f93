package tap

import (
	"fmt"
	"time"

	"cbc-otel/internal/stream"
	"cbc-otel/mapping"
)

// slack is how long after the end of a grace period it is acted upon. A line that was received within
// the period may still be on its way through the forwarder, which first writes it to a slow consumer.
const slack = 100 * time.Millisecond

// rest is how long the worker leaves big snapshots alone after it has handled one. Those that come faster replace each
// other: what they say of an agent is not lost, and handling each would take time from the command.
const rest = 10 * time.Millisecond

// worker decodes and maps lines in its own goroutine.
type worker struct {
	o       *Options
	queue   *queue
	decoder stream.Decoder
	counts  stream.Counts
	started bool
	failure error

	dirty   map[string]time.Time // open workflows with news to tell, and when it was received
	flushed time.Time            // when news was told last
}

// run handles lines until the queue is closed and empty.
func (w *worker) run() {
	defer func() {
		if r := recover(); r != nil {
			w.failure = fmt.Errorf("mapping the stream: %v", r)
			w.queue.abandon()
		}
	}()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		i, st := w.queue.next()
		switch {
		case i != nil:
			w.handle(i)
			w.tell()
			if w.queue.mayRest(i) {
				w.rest(timer)
			}
			continue
		case st.closed:
			w.settled(w.o.Mapper.Close(st.ending))
			return
		case !st.eof.IsZero():
			// No snapshot can come any more, so no grace period needs to be waited for.
			for deadline, ok := w.o.Mapper.Deadline(); ok; deadline, ok = w.o.Mapper.Deadline() {
				w.settled(w.o.Mapper.Advance(deadline))
			}
		}
		if next, ok := w.pause(); ok {
			timer.Reset(next)
		} else {
			timer.Stop()
		}
		select {
		case <-w.queue.wake:
		case <-timer.C:
		}
	}
}

// rest waits a moment, but for the end of the stream.
func (w *worker) rest(timer *time.Timer) {
	timer.Reset(rest)
	select {
	case <-timer.C:
	case <-w.queue.ended:
	}
}

// pause lets grace periods end, tells what there is to tell, and returns how long there is nothing to
// do; false stands for ever. Nothing waits in the queue, so all that was received has been observed.
func (w *worker) pause() (time.Duration, bool) {
	now := w.o.Now()
	deadline, ok := w.o.Mapper.Deadline()
	for ok && !now.Before(deadline.Add(slack)) {
		w.settled(w.o.Mapper.Advance(deadline))
		deadline, ok = w.o.Mapper.Deadline()
	}
	w.tell()
	wait := deadline.Add(slack).Sub(now)
	if len(w.dirty) > 0 {
		if d := w.o.ChangeEvery - now.Sub(w.flushed); !ok || d < wait {
			wait, ok = d, true
		}
	}
	return wait, ok
}

// handle decodes and maps one line.
func (w *worker) handle(i *item) {
	e, verdict, spare := w.decoder.DecodeTake(i.line)
	w.counts.Verdict(verdict)
	w.queue.decoded(&e, spare)
	if verdict != stream.Decoded {
		return
	}
	e.Received, e.Since = i.at, i.since
	trees := w.o.Mapper.Observe(e)
	if !w.started && e.Kind == mapping.Started && len(w.o.Mapper.Open()) > 0 {
		w.started = true
		if w.o.OnStart != nil {
			w.o.OnStart()
		}
	}
	if w.o.OnSession != nil && e.Kind == mapping.Initialized && e.SessionID != "" {
		w.o.OnSession(e.SessionID)
	}
	if w.o.OnChange != nil && e.TaskID != "" {
		w.dirty[e.TaskID] = i.at
	}
	w.settled(trees)
}

// settled passes finished workflows on.
func (w *worker) settled(trees []mapping.Tree) {
	if len(trees) == 0 {
		return
	}
	if w.o.OnChange != nil {
		w.o.OnChange(w.news(), trees)
	}
	if w.o.OnTree != nil {
		for _, t := range trees {
			w.o.OnTree(t)
		}
	}
}

// news is what was not told yet of open workflows.
func (w *worker) news() (all []Change) {
	if len(w.dirty) == 0 {
		return nil
	}
	for _, id := range w.o.Mapper.Open() {
		if at, ok := w.dirty[id]; ok {
			all = append(all, Change{id, at})
		}
	}
	clear(w.dirty)
	return all
}

// tell reports the news of open workflows, if it is time.
func (w *worker) tell() {
	if len(w.dirty) == 0 {
		return
	}
	now := w.o.Now()
	if now.Sub(w.flushed) < w.o.ChangeEvery {
		return
	}
	w.flushed = now
	if news := w.news(); len(news) > 0 {
		w.o.OnChange(news, nil)
	}
}
