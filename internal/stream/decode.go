package stream

import "cbc-otel/mapping"

// Verdict says what a line turned out to be.
type Verdict int

const (
	Ignored    Verdict = iota // no workflow event
	Decoded                   // an event
	Unparsable                // not a JSON object, or a snapshot of more than maxEntries entries
)

// Decoder turns lines into events. The zero value is ready to use. It is not safe for concurrent use.
//
// It keeps the newest snapshot of each task, within bounds, so that of the next one it need only decode
// the entries that changed: the Phases and Agents of a Progress event are those that differ from the
// ones in the events before, since the last Started event of the task. So all its events must be
// observed, in order.
type Decoder struct {
	s     scanner
	cache cache

	// Of the line being decoded:
	last     reading  // its snapshot
	early    values   // the fields read before it, if it was read in passing
	distinct bool     // no two of its entries have the same key
	free     snapshot // memory for the next
}

// field is a top-level key of a line that some event needs.
type field int

const (
	fType field = iota
	fSubtype
	fSessionID
	fTaskID
	fToolUseID
	fTimestamp
	fTaskType
	fWorkflowName
	fDescription
	fPrompt
	fRunID
	fSummary
	fUsage
	fStatus
	fPatch
	fProgress
	fToolUseResult
	numFields
)

func fieldOf(key []byte) field {
	switch string(key) {
	case "type":
		return fType
	case "subtype":
		return fSubtype
	case "session_id":
		return fSessionID
	case "task_id":
		return fTaskID
	case "tool_use_id":
		return fToolUseID
	case "__timestamp":
		return fTimestamp
	case "task_type":
		return fTaskType
	case "workflow_name":
		return fWorkflowName
	case "description":
		return fDescription
	case "prompt":
		return fPrompt
	case "run_id":
		return fRunID
	case "summary":
		return fSummary
	case "usage":
		return fUsage
	case "status":
		return fStatus
	case "patch":
		return fPatch
	case "workflow_progress":
		return fProgress
	case "tool_use_result":
		return fToolUseResult
	}
	return numFields
}

// values holds where in the line the value of each field starts, 0 if the line does not have it. Of a
// key that comes twice the last one counts, as in JSON.parse.
type values [numFields]int

// Decode returns the event in line, which is one line of the stream without its newline. The event
// shares no memory with line. Received is left zero. Of a line that is ignored the event has no Kind
// and at most a Timestamp: cbc stamps all its lines, and in a replay each tells the time.
//
// The line is first checked as a whole and the places of its fields noted; only those that its event
// needs are then decoded. So nothing is ever taken out of a line of another kind, such as a
// control_response, which holds account data.
func (d *Decoder) Decode(line []byte) (mapping.Event, Verdict) {
	e, verdict := d.decode(line)
	if e.Kind == mapping.Progress {
		d.keep(e.TaskID, nil)
	}
	return e, verdict
}

// DecodeTake is Decode for a caller who has no more use for the line: its memory may be kept instead
// of a copy. It returns memory that the caller may use again, of the line or of one taken before.
func (d *Decoder) DecodeTake(line []byte) (e mapping.Event, verdict Verdict, spare []byte) {
	e, verdict = d.decode(line)
	if e.Kind == mapping.Progress {
		return e, verdict, d.keep(e.TaskID, line)
	}
	return e, verdict, line
}

func (d *Decoder) decode(line []byte) (mapping.Event, Verdict) {
	s := &d.s
	s.reset(line)
	if s.peek() == 0 && s.i == len(line) {
		return mapping.Event{}, Ignored // a blank line
	}
	d.begin()
	var v values
	s.enter('{')
	for first := true; s.next('}', first); first = false {
		f := fieldOf(plainKey(s.key()))
		if s.peek(); f < numFields {
			v[f] = s.i
		}
		if f == fProgress && d.isProgress(&v) {
			d.begin() // there may be a second one
			d.read(d.text(v[fTaskID]), v[fProgress])
			d.early = v
		} else {
			s.skip()
		}
	}
	if s.peek(); s.bad || s.i < len(line) {
		return mapping.Event{}, Unparsable
	}
	e := d.event(&v)
	if d.goTo(v[fTimestamp]) {
		e.Timestamp = d.s.stamp()
	}
	if e.Kind == 0 {
		return e, Ignored
	}
	return e, Decoded
}

// plainKey returns the text of a key: most have no escapes and are their own text.
func plainKey(raw []byte) []byte {
	if isPlain(raw) {
		return raw
	}
	return unquote(nil, raw, maxText)
}

// event decodes the fields that the line's kind of event has. Its Kind is 0 if the line is no event.
func (d *Decoder) event(v *values) mapping.Event {
	var e mapping.Event
	switch {
	case d.isText(v[fType], "system"):
		d.system(&e, v)
	case d.isText(v[fType], "user"):
		d.launched(&e, v)
	}
	if e.Kind == 0 || e.Kind != mapping.Initialized && (e.TaskID == "" || len(e.TaskID) >= maxText) {
		return mapping.Event{} // no event, or one of no task, or of one whose id is cut off
	}
	e.SessionID = d.text(v[fSessionID])
	return e
}

func (d *Decoder) system(e *mapping.Event, v *values) {
	e.TaskID = d.text(v[fTaskID])
	switch d.text(v[fSubtype]) {
	case "init":
		*e = mapping.Event{Kind: mapping.Initialized}
		return
	case "task_started":
		e.Kind = mapping.Started
		if !mutantStaleCache {
			d.cache.remove(e.TaskID)
		}
		e.TaskType = d.text(v[fTaskType])
		e.WorkflowName = d.text(v[fWorkflowName])
		e.Description = d.text(v[fDescription])
		e.Script = d.text(v[fPrompt])
	case "task_progress":
		e.Kind = mapping.Progress
		e.Summary = d.text(v[fSummary])
		e.Usage = d.usage(v[fUsage])
		d.progress(e, v)
	case "task_updated":
		e.Kind = mapping.Updated
		d.patch(e, v[fPatch])
	case "task_notification":
		e.Kind = mapping.Notified
		e.Status = d.text(v[fStatus])
		e.Summary = d.text(v[fSummary])
		e.Usage = d.usage(v[fUsage])
	default:
		return
	}
	e.ToolUseID = d.text(v[fToolUseID])
	e.RunID = d.text(v[fRunID])
}

// launched decodes the result of the Workflow tool. The result of another tool has no run id, and
// that of a script which does not compile is a string.
func (d *Decoder) launched(e *mapping.Event, v *values) {
	if !d.goToObject(v[fToolUseResult]) {
		return
	}
	s := &d.s
	for first := true; s.next('}', first); first = false {
		switch string(plainKey(s.key())) {
		case "taskId":
			e.TaskID = s.text()
		case "runId":
			e.RunID = s.text()
		default:
			s.skip()
		}
	}
	if e.RunID != "" {
		e.Kind = mapping.Launched
	}
}

func (d *Decoder) usage(at int) mapping.Usage {
	var u mapping.Usage
	if !d.goToObject(at) {
		return u
	}
	s := &d.s
	for first := true; s.next('}', first); first = false {
		switch string(plainKey(s.key())) {
		case "total_tokens":
			u.TotalTokens = s.number()
		case "tool_uses":
			u.ToolUses = s.number()
		case "duration_ms":
			u.DurationMS = s.number()
		default:
			s.skip()
		}
	}
	return u
}

func (d *Decoder) patch(e *mapping.Event, at int) {
	if !d.goToObject(at) {
		return
	}
	s := &d.s
	for first := true; s.next('}', first); first = false {
		switch string(plainKey(s.key())) {
		case "status":
			e.Status = s.text()
		case "end_time":
			e.EndTime = s.millis()
		case "error":
			e.Error = s.text()
		default:
			s.skip()
		}
	}
}

// goTo moves to the value at a position noted in values, if there is one.
func (d *Decoder) goTo(at int) bool {
	d.s.i, d.s.outer = at, 1
	return at > 0
}

// goToObject moves into the object at a position noted in values, if one is there.
func (d *Decoder) goToObject(at int) bool {
	if !d.goTo(at) || d.s.peek() != '{' {
		return false
	}
	d.s.enter('{')
	return true
}

// isText reports whether the value at a position noted in values is the given text.
func (d *Decoder) isText(at int, want string) bool {
	return d.goTo(at) && d.s.peek() == '"' && string(plainKey(d.s.str())) == want
}

func (d *Decoder) text(at int) string {
	if !d.goTo(at) {
		return ""
	}
	return d.s.text()
}
