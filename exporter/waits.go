package exporter

import (
	"sync"
	"time"
)

// waits knows what the pipeline waits for outside of itself: writes, and requests. At the end of a flush it tells a
// disk or a receiver that hangs from work that the processor has yet to do.
type waits struct {
	mu   sync.Mutex
	next int
	open map[int]time.Time
}

// begin notes that a wait begins; call end when it is over.
func (w *waits) begin() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		w.open = make(map[int]time.Time)
	}
	w.next++
	id := w.next
	w.open[id] = time.Now()
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.open, id)
	}
}

// longest is how long the longest of the waits has taken, counted from a time at the earliest.
func (w *waits) longest(from time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	var longest time.Duration
	for _, began := range w.open {
		if began.Before(from) {
			began = from
		}
		longest = max(longest, time.Since(began))
	}
	return longest
}
