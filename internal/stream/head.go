package stream

import (
	"bytes"

	"cbc-otel/mapping"
)

// Head is what a line is about, without its contents.
type Head struct {
	Kind     mapping.EventKind // 0: no event
	TaskID   string
	Workflow bool // a Started line of a workflow

	// What a Progress line has.
	snapshot, usage, summary bool
}

// Covers reports whether h, a Progress line that came after older, of the same task, says all that older
// does, so that older need not be looked at. A snapshot replaces the one before (protocol section 5.2), but a
// line without one leaves it as it was.
func (h Head) Covers(older Head) bool {
	return (h.snapshot || !older.snapshot) && (h.usage || !older.usage) && (h.summary || !older.summary)
}

// Peek returns what a line is about. It is much faster than Decode, as it does not go through the
// snapshot of a line that has one, so it may not see that the line is no JSON.
func (d *Decoder) Peek(line []byte) Head {
	s := &d.s
	s.reset(line)
	var v values
	s.enter('{')
	for first := true; s.next('}', first); first = false {
		f := fieldOf(plainKey(s.key()))
		if s.peek(); f < numFields {
			v[f] = s.i
		}
		if f == fProgress && s.peek() == '[' {
			s.skipList()
		} else {
			s.skip()
		}
	}
	if s.peek(); s.bad || s.i < len(line) {
		return Head{}
	}
	h := Head{TaskID: d.text(v[fTaskID])}
	switch {
	case d.isText(v[fType], "user"):
		var e mapping.Event
		d.launched(&e, &v)
		h.Kind, h.TaskID = e.Kind, e.TaskID
	case !d.isText(v[fType], "system"):
	case d.isText(v[fSubtype], "init"):
		h.Kind = mapping.Initialized
	case d.isText(v[fSubtype], "task_started"):
		h.Kind = mapping.Started
		h.Workflow = d.isText(v[fTaskType], "local_workflow")
	case d.isText(v[fSubtype], "task_progress"):
		h.Kind = mapping.Progress
		h.snapshot = d.goTo(v[fProgress]) && s.peek() == '[' && !s.emptyList()
		h.usage = d.goTo(v[fUsage]) && s.peek() == '{'
		h.summary = d.goTo(v[fSummary]) && s.peek() == '"'
	case d.isText(v[fSubtype], "task_updated"):
		h.Kind = mapping.Updated
	case d.isText(v[fSubtype], "task_notification"):
		h.Kind = mapping.Notified
	}
	return h
}

func (s *scanner) emptyList() bool {
	s.i++
	return s.peek() == ']'
}

// skipList consumes a list that is the value of one of the last keys of its object, which is the line.
//
// The first bracket after which the rest of the line is the rest of an object is the list's end, if the
// line is JSON at all: at a bracket inside the list the object would end too early, and at one inside a
// string what is text and what is not would be the wrong way round up to the end of the line.
func (s *scanner) skipList() {
	const tries = 8 // a line made for it could hold many that need a long look
	for at, n := s.i, 0; n < tries; {
		j := bytes.IndexByte(s.b[at:], ']')
		if j < 0 {
			break
		}
		at += j + 1
		rest := scanner{b: s.b, i: at, outer: s.outer, stack: s.stack}
		if c := rest.peek(); c != ',' && c != '}' {
			continue
		}
		n++
		for rest.next('}', false) {
			rest.key()
			rest.skip()
		}
		if rest.peek(); !rest.bad && rest.i == len(rest.b) {
			s.i = at
			return
		}
	}
	s.skip()
}
