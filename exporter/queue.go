package exporter

import "sync"

// queue is a queue without a bound: Export must neither block nor drop. Its size is that of the trees of a run.
type queue[T any] struct {
	mu     sync.Mutex
	ready  *sync.Cond
	items  []T
	closed bool
}

func newQueue[T any]() *queue[T] {
	q := &queue[T]{}
	q.ready = sync.NewCond(&q.mu)
	return q
}

// push adds an item; false if the queue is closed.
func (q *queue[T]) push(item T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	if mutantQueueDrop && len(q.items) >= 4 {
		return true
	}
	q.items = append(q.items, item)
	q.ready.Signal()
	return true
}

// pop waits for an item; false once the queue is closed and empty.
func (q *queue[T]) pop() (item T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		if q.closed {
			return item, false
		}
		q.ready.Wait()
	}
	item = q.items[0]
	var none T
	q.items[0] = none
	q.items = q.items[1:]
	return item, true
}

// popIf takes the next item if there is one and it fits.
func (q *queue[T]) popIf(fits func(T) bool) (item T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 || !fits(q.items[0]) {
		return item, false
	}
	item = q.items[0]
	q.items = q.items[1:]
	return item, true
}

// close lets pop come to an end.
func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.ready.Broadcast()
}

// rest closes the queue and takes what nobody popped.
func (q *queue[T]) rest() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items, q.closed = nil, true
	q.ready.Broadcast()
	return items
}
