package stream

import "container/list"

// maxCache bounds the memory of the snapshots kept, in bytes. It holds a few workflows at the cap of
// 1,000 agents; beyond that, snapshots are decoded whole.
const maxCache = 8 << 20

// cache keeps the newest snapshot of each task, the ones last used when there are too many.
type cache struct {
	tasks map[string]*list.Element // of *kept, by task id
	order list.List                // last used first
	size  int
}

// kept is a snapshot with the memory it lies in.
type kept struct {
	task string
	snapshot
	memory []byte // text is part of it
}

// cost is the memory that k holds, about.
func (k *kept) cost() int {
	return len(k.task) + cap(k.memory) + 8*cap(k.bounds) + 16*cap(k.keys) + 256
}

// get returns what is kept of a task, nil if nothing is.
func (c *cache) get(task string) *kept {
	e := c.tasks[task]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*kept)
}

// put keeps k. Nothing may be kept of its task yet.
func (c *cache) put(k *kept) {
	if k.cost() > maxCache {
		return
	}
	if c.tasks == nil {
		c.tasks = make(map[string]*list.Element)
	}
	c.tasks[k.task] = c.order.PushFront(k)
	for c.size += k.cost(); c.size > maxCache; {
		c.remove(c.order.Back().Value.(*kept).task)
	}
}

// remove stops keeping what is kept of a task, and returns it.
func (c *cache) remove(task string) *kept {
	e := c.tasks[task]
	if e == nil {
		return nil
	}
	delete(c.tasks, task)
	k := c.order.Remove(e).(*kept)
	c.size -= k.cost()
	return k
}
