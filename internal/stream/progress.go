package stream

import "cbc-otel/mapping"

// maxEntries is how many entries a snapshot may have. The CLIs stop at 1,000 agents.
const maxEntries = 1 << 16

// worthTaking is the length from which on it pays to keep the memory of a line rather than a copy.
const worthTaking = 32 << 10

// isProgress reports whether the fields read so far say that the line is a task_progress line, and of
// which task. Then its snapshot can be read in passing, together with the one before: to skip over it
// first would take much longer.
func (d *Decoder) isProgress(v *values) bool {
	at, outer := d.s.i, d.s.outer
	yes := d.isText(v[fType], "system") && d.isText(v[fSubtype], "task_progress") && v[fTaskID] > 0
	d.s.i, d.s.outer = at, outer
	return yes && d.s.peek() == '['
}

// progress adds what the line's snapshot says to e.
func (d *Decoder) progress(e *mapping.Event, v *values) {
	switch {
	case !d.goTo(v[fProgress]) || d.s.peek() != '[':
		d.begin()
		return
	case d.early[fProgress] == v[fProgress] && d.early[fTaskID] == v[fTaskID] && d.early[fType] == v[fType] && d.early[fSubtype] == v[fSubtype]:
		// Read in passing, and no key that came twice has changed what it is.
	default:
		d.begin()
		d.read(e.TaskID, v[fProgress])
	}
	if d.distinct = d.last.distinct(); !d.distinct && d.last.partly {
		// Of two entries of one key the last counts, also when only the first has changed.
		d.begin()
		d.s.i, d.s.outer = v[fProgress], 1
		d.s.readSnapshot(&d.last, nil)
	}
	e.Agents, e.Phases = d.last.agents, d.last.phases
}

// begin forgets what was read of a line's snapshot, but for its memory.
func (d *Decoder) begin() {
	d.early = values{}
	d.last = reading{snapshot: snapshot{bounds: d.free.bounds[:0], keys: d.free.keys[:0]}}
}

// read consumes the snapshot of a task, which starts at a position of the line.
func (d *Decoder) read(task string, at int) {
	d.s.i, d.s.outer = at, 1
	if k := d.cache.get(task); k != nil {
		d.s.readSnapshot(&d.last, &k.snapshot)
	} else {
		d.s.readSnapshot(&d.last, nil)
	}
}

// keep keeps the snapshot just read for the task's next one, in the memory of line if line is given
// and that is worth it. It returns memory that is no longer needed: line, or some of the same size.
func (d *Decoder) keep(task string, line []byte) (spare []byte) {
	if d.last.text == nil {
		return line // no snapshot: that of before still stands
	}
	k := d.cache.remove(task)
	if !d.distinct {
		return line
	}
	if k == nil {
		k = &kept{task: task}
	}
	d.free, k.snapshot = k.snapshot, d.last.snapshot
	d.free.text = nil
	if len(line) >= worthTaking && cap(line) < 2*len(line) {
		spare, k.memory = k.memory, line
	} else {
		spare = line
		if cap(k.memory) > 4*len(k.text) {
			k.memory = nil
		}
		k.memory = append(k.memory[:0], k.text...)
		k.text = k.memory
	}
	d.cache.put(k)
	return spare
}
