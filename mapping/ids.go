package mapping

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// idVersion begins every hashed text: a change of the rules below needs another one.
const idVersion = "cbc-otel/1"

// identity is what ids of a workflow's spans are made of. They are a function of the stream, so that a replay
// gives the same ones and a span sent twice is one span.
type identity struct {
	session, task string
	run           int // 1, more for an id that is started again after it was settled
}

// stem is session and task, and the run but for the first, each after a NUL.
func (i identity) stem() string {
	s := "\x00" + i.session + "\x00" + i.task
	if i.run > 1 {
		s += "\x00" + strconv.Itoa(i.run)
	}
	return s
}

// traceID is used unless the workflow hangs under a span of somebody else.
func (i identity) traceID() (id TraceID) {
	sum := sha256.Sum256([]byte(idVersion + i.stem()))
	copy(id[:], sum[:])
	return id
}

// spanIDs makes the span ids of one workflow in the trace in use.
type spanIDs struct{ prefix []byte }

func (i identity) spanIDs(trace TraceID) spanIDs {
	return spanIDs{[]byte(idVersion + "\x00" + hex.EncodeToString(trace[:]) + i.stem() + "\x00")}
}

func (s spanIDs) workflow() SpanID { return s.of("workflow") }

func (s spanIDs) phase(index int64) SpanID { return s.of("phase" + strconv.FormatInt(index, 10)) }

func (s spanIDs) agent(index int64) SpanID { return s.of("agent" + strconv.FormatInt(index, 10)) }

func (s spanIDs) of(place string) (id SpanID) {
	sum := sha256.Sum256(append(s.prefix[:len(s.prefix):len(s.prefix)], place...))
	copy(id[:], sum[:])
	return id
}
