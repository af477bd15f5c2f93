package tap

import (
	"hash/maphash"
	"sync"
	"time"

	"cbc-otel/internal/stream"
	"cbc-otel/mapping"
)

// Limits bound the memory of the lines that wait for the worker, in bytes.
type limits struct {
	// soft is how much may wait as it is. Beyond it lines are sorted, and snapshots are skipped for newer
	// ones.
	soft int
	// big is the size of lines that never wait as they are: a snapshot of this size is skipped for a newer one that
	// comes before its turn, since handing it over and decoding it costs more than a retry event is worth.
	big int
	// hard is never exceeded: the oldest snapshots are dropped, and should only other events wait, the
	// newest of these.
	hard int
	// tasks is how many tasks are told apart.
	tasks int
}

// With a worker that keeps up next to nothing waits, and the soft limit is several snapshots of 1,000
// agents. The hard one has room for one such snapshot each of fifty workflows.
var defaultLimits = limits{soft: 4 << 20, big: minBuffer, hard: 32 << 20, tasks: 1 << 16}

// phase is how far a task has come, as far as the queue has seen.
type phase uint8

const (
	unknown phase = iota // it has not started: snapshots of it are of no use
	open
	ended // or may have: its snapshots may belong to its end, to its grace period or to a later run
)

// queue hands lines over from the forwarder to the worker. No method waits for the other side.
type queue struct {
	limits limits
	wake   chan struct{} // has room for one; a token says that something may have changed
	ended  chan struct{} // closed when no line will be added

	mu        sync.Mutex
	state     state
	abandoned bool
	idle      bool // the worker waits for a token
	order     uint64
	size      int // cost of all items

	// Lines wait in three lists; they are taken out in the order they came, whichever list they are in.
	unsorted  list // newer than all in the others
	snapshots list // Progress lines
	events    list // all others that are events

	newest map[string]*item // of each open task, the newest in snapshots
	tasks  map[uint64]phase // by hash of the task id
	full   bool             // there are more tasks than tasks may hold
	blind  bool             // the worker decodes a line that was not sorted, so tasks may lack its news
	seed   maphash.Seed
	peeker stream.Decoder

	skipped int64    // snapshots for which a newer one stands, or of tasks that have not started
	dropped int64    // lines lost to the hard limit
	buffers [][]byte // memory to use again
	free    int      // their size
}

func newQueue(l limits) *queue {
	return &queue{
		limits: l, wake: make(chan struct{}, 1), ended: make(chan struct{}), seed: maphash.MakeSeed(),
		newest: make(map[string]*item), tasks: make(map[uint64]phase),
	}
}

// add hands a line over. The queue owns it from now on.
func (q *queue) add(line []byte, at time.Time) { q.push(&item{line: line, at: at}) }

// addBig is add of a big line, of which it is known what it is about.
func (q *queue) addBig(line []byte, at time.Time, head stream.Head) {
	q.push(&item{line: line, at: at, head: head, peeked: true})
}

func (q *queue) push(i *item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state.closed || q.abandoned {
		return
	}
	i.order = q.order
	q.order++
	q.size += i.cost()
	q.unsorted.push(i)
	if q.size > q.limits.soft || i.peeked {
		q.sort()
	}
	for q.size > q.limits.hard && q.snapshots.first != nil {
		q.discard(q.snapshots.first)
		q.dropped++
	}
	if q.size > q.limits.hard && i.list != nil {
		q.discard(i)
		q.dropped++
	}
	q.signal()
}

// sort looks at the lines that were added since it was last called, and skips what it can.
func (q *queue) sort() {
	for i := q.unsorted.first; i != nil; i = q.unsorted.first {
		i.remove()
		if !i.peeked {
			i.head, i.peeked = q.peeker.Peek(i.line), true
		}
		if i.head.Kind == mapping.Progress {
			q.snapshots.push(i)
			q.sortSnapshot(i)
			continue
		}
		q.events.push(i)
		q.learn(i.head.Kind, i.head.TaskID, i.head.Workflow)
	}
}

func (q *queue) sortSnapshot(i *item) {
	task := i.head.TaskID
	switch q.phase(task) {
	case unknown:
		q.discard(i)
		q.skipped++
	case open: // and old, if there is one, came since it started
		if old := q.newest[task]; old != nil && (i.head.Covers(old.head) || mutantSkipEmpty) {
			if i.since = old.since; i.since.IsZero() {
				i.since = old.at
			}
			q.discard(old)
			q.skipped++
		}
		q.newest[task] = i
	}
}

// phase is how far a task has come. If that cannot be told for sure it is ended, of which nothing is
// skipped: a snapshot before the end must be handled before it, and one after the grace period may not
// stand for one within it.
func (q *queue) phase(task string) phase {
	p, ok := q.tasks[maphash.String(q.seed, task)]
	if q.blind || !ok && q.full {
		return ended
	}
	return p
}

// leaveOut counts a snapshot as skipped that was never added, because one that says all it does came right after it, and
// takes back its memory, if that is ours. If the task is not open after all lines that were added, as far as can be
// told, it reports false and does nothing.
func (q *queue) leaveOut(task string, memory []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sort()
	if q.phase(task) != open && !mutantReplaceEnded {
		return false
	}
	q.skipped++
	q.recycle(memory)
	return true
}

// learn notes how far an event takes its task.
func (q *queue) learn(kind mapping.EventKind, task string, workflow bool) {
	key := maphash.String(q.seed, task)
	switch known := q.tasks[key]; {
	case kind == mapping.Started && workflow && known == unknown:
		if len(q.tasks) >= q.limits.tasks {
			q.full = true
			return
		}
		q.tasks[key] = open
	case kind == mapping.Notified && known == open && !mutantSkipLate:
		q.tasks[key] = ended
	}
}

// discard forgets an item that waits.
func (q *queue) discard(i *item) {
	line := i.line
	q.take(i)
	q.recycle(line)
}

// take takes an item out.
func (q *queue) take(i *item) {
	i.remove()
	q.size -= i.cost()
	if q.newest[i.head.TaskID] == i {
		delete(q.newest, i.head.TaskID)
	}
}

// state is what the worker should know when no line waits.
type state struct {
	eof    time.Time // the stream has ended then; zero: it has not
	closed bool
	ending mapping.End // when it is closed
}

// next takes the oldest line out. It is nil if none waits; then the next change will give a token.
func (q *queue) next() (*item, state) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var oldest *item
	for _, i := range [...]*item{q.unsorted.first, q.snapshots.first, q.events.first} {
		if i != nil && (oldest == nil || i.order < oldest.order) {
			oldest = i
		}
	}
	if oldest == nil || mutantCloseEarly && q.state.closed {
		q.idle = true
		return nil, q.state
	}
	q.blind = oldest.list == &q.unsorted
	q.take(oldest)
	return oldest, state{}
}

// decoded says what the line taken last was, and gives memory back that is no longer needed.
func (q *queue) decoded(e *mapping.Event, spare []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.blind = false
	q.learn(e.Kind, e.TaskID, e.TaskType == "local_workflow")
	q.recycle(spare)
}

// mayRest reports whether the worker can rest after it has handled i: it was a big snapshot, and no more waits than may
// wait as it is. Other lines cannot stand for each other, so they are never left to pile up.
func (q *queue) mayRest(i *item) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return i.head.Kind == mapping.Progress && len(i.line) >= q.limits.big && q.size <= q.limits.soft
}

// end says that the stream has ended at the time at: no line will be added.
func (q *queue) end(at time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state.eof = at
	close(q.ended)
	q.signal()
}

// close ends the worker once it has handled what waits. Lines added from now on are ignored.
func (q *queue) close(end mapping.End) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.state.closed {
		q.state.closed, q.state.ending = true, end
	}
	q.signal()
}

// abandon forgets what waits, and ignores what is added from now on.
func (q *queue) abandon() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.abandoned = true
	q.unsorted, q.snapshots, q.events, q.newest, q.buffers = list{}, list{}, list{}, nil, nil
}

// signal gives the worker a token if it waits for one.
func (q *queue) signal() {
	if !q.idle {
		return
	}
	q.idle = false
	select {
	case q.wake <- struct{}{}:
	default: // it has not taken the last one yet, woken by its timer
	}
}

// counts returns how many snapshots were skipped, and how many lines were dropped.
func (q *queue) counts() (skipped, dropped int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.skipped, q.dropped
}

// Buffers from minBuffer to maxBuffer bytes are used again: the lines of big workflows come in this size,
// one after the other.
const (
	minBuffer = 32 << 10
	maxBuffer = 2 << 20
)

// recycle keeps b for a line to come, if there is room for it where lines would wait.
func (q *queue) recycle(b []byte) {
	if cap(b) >= minBuffer && cap(b) <= maxBuffer && q.size+q.free+cap(b) <= q.limits.soft {
		q.buffers = append(q.buffers, b[:0])
		q.free += cap(b)
	}
}

// buffer returns memory for a line, or nil.
func (q *queue) buffer() []byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	last := len(q.buffers) - 1
	if last < 0 {
		return nil
	}
	b := q.buffers[last]
	q.buffers = q.buffers[:last]
	q.free -= cap(b)
	return b
}
