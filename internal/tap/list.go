package tap

import (
	"time"

	"cbc-otel/internal/stream"
)

// item is a line that waits for the worker.
type item struct {
	line  []byte
	at    time.Time // when it was received
	since time.Time // if it stands for snapshots that were skipped: when the first of them was
	order uint64    // its place among all items

	peeked bool // head is known
	head   stream.Head

	list       *list
	prev, next *item
}

// overhead is the memory an item takes beside its line, about.
const overhead = 256

func (i *item) cost() int { return cap(i.line) + overhead }

// list is a queue of items from which any can be taken out.
type list struct{ first, last *item }

func (l *list) push(i *item) {
	i.list, i.prev, i.next = l, l.last, nil
	if l.last == nil {
		l.first = i
	} else {
		l.last.next = i
	}
	l.last = i
}

// remove takes i out of the list it is in.
func (i *item) remove() {
	l := i.list
	if i.prev == nil {
		l.first = i.next
	} else {
		i.prev.next = i.next
	}
	if i.next == nil {
		l.last = i.prev
	} else {
		i.next.prev = i.prev
	}
	i.list, i.prev, i.next = nil, nil, nil
}
