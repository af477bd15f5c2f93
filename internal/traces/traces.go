// Package traces reads workflows from wherever they are: files of OTLP JSON lines, the local store, recorded streams,
// and the journals of wrappers that run at this moment.
//
// Files come from anywhere. What cannot be read of one is passed over and told, and the rest is used. Texts in traces
// are untrusted: whoever shows them cleans them.
package traces

import (
	"encoding/hex"
	"fmt"
	"time"

	"cbc-otel/mapping"
)

// Trace is one workflow. Several may share a trace id.
type Trace struct {
	ID mapping.TraceID
	// Tree has the workflow's span first, then each span after its parent: phases, agents, and what others recorded
	// below agents. Every parent but the first span's is in the tree.
	Tree     mapping.Tree
	Resource []mapping.Attribute
	Path     string // the file it was read from
	// Live is a workflow that is not over. The spans in Open have not ended; their end is when it was last looked at,
	// and their states are running or queued.
	Live bool
	Open map[mapping.SpanID]bool
}

// States of a workflow or agent that is not over, beside those of finished ones.
const (
	Running = "running"
	Queued  = "queued"
)

// Key names a workflow among all: its trace id and the id of its first span in hexadecimal digits, with a "/" in
// between.
func (t Trace) Key() string {
	return hex.EncodeToString(t.ID[:]) + "/" + hex.EncodeToString(t.Tree.Spans[0].SpanID[:])
}

// Options say how to read. The zero value is usable.
type Options struct {
	// Report is told of what was passed over. Nil passes over it in silence.
	Report func(Problem)
	// Mapping is used for recorded streams. Without an Origin the file's time of modification is.
	Mapping mapping.Options
	// Filter is applied to the workflows of recorded streams; all others were written after the rules. A tree without
	// spans is left out. Nil changes nothing.
	Filter func(mapping.Tree) mapping.Tree
	// Now is the clock that live workflows last until; nil is time.Now.
	Now func() time.Time
}

func (o Options) report(path string, line int, err error) {
	if o.Report != nil {
		o.Report(Problem{path, line, err})
	}
}

func (o Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// Problem is something in a file that could not be used.
type Problem struct {
	Path string
	Line int // 0: the file as a whole
	Err  error
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %v", p.Path, p.Err)
	}
	return fmt.Sprintf("%s:%d: %v", p.Path, p.Line, p.Err)
}

func (p Problem) Unwrap() error { return p.Err }
