package tap

import (
	"fmt"
	"sync"
	"time"

	"cbc-otel/internal/stream"
	"cbc-otel/mapping"
)

// Options say what becomes of what the tap sees. The functions are called from the worker, one at a
// time, and while one runs the worker lags behind; the mapper may only be used within them, or after
// Close.
type Options struct {
	Mapper *mapping.Mapper

	// Now is the clock that grace periods end by; nil is time.Now.
	Now func() time.Time

	// OnStart is called once, when the first workflow starts.
	OnStart func()

	// OnSession is called with the session's id when a session, or a further turn of it, begins.
	OnSession func(id string)

	// OnTree is called for each settled workflow.
	OnTree func(mapping.Tree)

	// OnChange is called with the news of all open workflows, but no more often than every ChangeEvery; the last news
	// is never left out. It is called at once, before OnTree, with what was settled, if anything was: together the two
	// are what is known at one moment. It may take the tree of an open workflow from [mapping.Mapper.Snapshot].
	OnChange    func(news []Change, settled []mapping.Tree)
	ChangeEvery time.Duration
}

// Change says that there is news of an open workflow, received at this time.
type Change struct {
	TaskID string
	At     time.Time
}

// Stats says what the tap saw.
type Stats struct {
	stream.Counts
	Mapping mapping.Stats
	Skipped int64 // snapshots for which a newer one stood, or of tasks that had not started
	Dropped int64 // lines lost because too much waited for the worker
	Failure error // a fault of ours ended the tap early; nothing was settled after it
}

// Tap looks at one stream. Its methods may be called from any goroutine, Write and EOF from one at a
// time.
type Tap struct {
	o      Options
	queue  *queue
	done   chan struct{} // closed when the worker has ended
	worker worker

	mu       sync.Mutex // guards what follows
	splitter stream.Splitter
	held     held
	peeker   stream.Decoder
	eof      time.Time
	failure  error
}

// New starts a tap. It ends with Close.
func New(o Options) *Tap { return newTap(o, defaultLimits) }

func newTap(o Options, l limits) *Tap {
	if o.Now == nil {
		o.Now = time.Now
	}
	t := &Tap{o: o, queue: newQueue(l), done: make(chan struct{})}
	t.worker = worker{o: &t.o, queue: t.queue, dirty: make(map[string]time.Time)}
	go func() {
		defer close(t.done)
		t.worker.run()
	}()
	return t
}

// Write takes the next bytes of the stream, which were received at the time at. It never waits, and
// does not keep p. After EOF it does nothing.
func (t *Tap) Write(p []byte, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.eof.IsZero() && t.failure == nil {
		defer t.guard()
		t.splitter.WriteMatching(p, at, t.line)
		t.release()
	}
}

// EOF ends the stream. Workflows that are terminal are settled without waiting for their grace period;
// the others stay open until Close.
func (t *Tap) EOF(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.eof.IsZero() {
		return
	}
	t.eof = at
	if t.failure == nil {
		defer t.guard()
		t.splitter.Flush(at, func(line []byte, at time.Time) {
			if stream.MayMatter(line) {
				t.line(line, at)
			}
		})
		t.release()
	}
	t.queue.end(at)
}

// Close waits until the worker has handled all that was written, and settles what is open: at end.At,
// or if that is zero, when the stream ended. It may be called again, and then only returns the stats.
func (t *Tap) Close(end mapping.End) Stats {
	t.EOF(t.o.Now())
	t.mu.Lock()
	if end.At.IsZero() {
		end.At = t.eof
	}
	t.mu.Unlock()
	t.queue.close(end)
	<-t.done

	t.mu.Lock()
	defer t.mu.Unlock()
	s := Stats{Counts: t.worker.counts, Failure: t.worker.failure, Mapping: t.o.Mapper.Stats()}
	s.Counts.Add(t.splitter.Stats())
	s.Skipped, s.Dropped = t.queue.counts()
	if t.failure != nil {
		s.Failure = t.failure
	}
	return s
}

// guard keeps a fault of ours from the forwarder.
func (t *Tap) guard() {
	if r := recover(); r != nil {
		t.failure = fmt.Errorf("reading the stream: %v", r)
		t.queue.abandon()
	}
}
