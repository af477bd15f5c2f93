package simcbc

import (
	"container/heap"
	"time"
)

// scope groups tasks of the agenda that can be called off together.
type scope struct{ off bool }

// task is something to do at a time.
type task struct {
	at    time.Time
	order int // of tasks at the same time: as they were added
	scope *scope
	do    func()
}

// agenda is what is still to happen, the next first.
type agenda struct {
	tasks taskHeap
	added int
}

func (a *agenda) add(at time.Time, s *scope, do func()) {
	a.added++
	heap.Push(&a.tasks, task{at: at, order: a.added, scope: s, do: do})
}

// next gives the time of the next task that was not called off.
func (a *agenda) next() (time.Time, bool) {
	for len(a.tasks) > 0 && a.tasks[0].scope != nil && a.tasks[0].scope.off {
		heap.Pop(&a.tasks)
	}
	if len(a.tasks) == 0 {
		return time.Time{}, false
	}
	return a.tasks[0].at, true
}

// pop takes the task that next announced.
func (a *agenda) pop() task { return heap.Pop(&a.tasks).(task) }

type taskHeap []task

func (h taskHeap) Len() int { return len(h) }
func (h taskHeap) Less(i, j int) bool {
	if !h[i].at.Equal(h[j].at) {
		return h[i].at.Before(h[j].at)
	}
	return h[i].order < h[j].order
}
func (h taskHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *taskHeap) Push(x any)   { *h = append(*h, x.(task)) }
func (h *taskHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	*h = old[:len(old)-1]
	return t
}
