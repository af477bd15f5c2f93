package tap

import (
	"bytes"
	"time"

	"cbc-otel/internal/stream"
	"cbc-otel/mapping"
)

// held is the big line seen last in a piece of the stream. It is handed over when another event follows or the piece
// ends, so that a snapshot of an open task which a newer one in the same piece replaces is neither copied nor
// decoded.
type held struct {
	line []byte // nil: none
	own  []byte // the memory line lies in, if it is ours; nil: it lies within the piece
	at   time.Time
	head stream.Head
}

// line takes a line that may matter.
func (t *Tap) line(line []byte, at time.Time) {
	if len(line) < t.queue.limits.big {
		t.release()
		t.queue.add(bytes.Clone(line), at)
		return
	}
	head := t.peeker.Peek(line)
	if t.held.line == nil || !replaces(head, t.held.head) || !t.queue.leaveOut(head.TaskID, t.held.own) {
		t.release()
	}
	t.held = held{line: line, own: t.splitter.Take(t.queue.buffer), at: at, head: head}
}

// replaces reports whether a snapshot says all that the line before it said.
func replaces(newer, older stream.Head) bool {
	return newer.Kind == mapping.Progress && older.Kind == mapping.Progress && newer.TaskID == older.TaskID && newer.Covers(older)
}

// release hands over what is held.
func (t *Tap) release() {
	h := t.held
	if h.line == nil {
		return
	}
	t.held = held{}
	if h.own == nil {
		h.own = append(t.queue.buffer(), h.line...)
	}
	t.queue.addBig(h.own, h.at, h.head)
}
