package stream

import (
	"bytes"
	"time"
)

// MaxLine is the longest line that is looked at, in bytes without its newline.
const MaxLine = 8 << 20

// Splitter cuts the bytes of a stream into lines. The zero value is ready to use.
//
// It holds at most one unfinished line of at most [MaxLine] bytes; longer ones are counted and left out.
type Splitter struct {
	partial []byte // the start of a line whose end has not come yet
	skip    bool   // that line is too long already, and is not kept
	stats   SplitStats
}

// SplitStats counts what a [Splitter] has seen.
type SplitStats struct {
	Bytes    int64
	Lines    int64 // finished lines of any length, and a last one without a newline
	Oversize int64 // those among them that were longer than MaxLine
}

// Stats returns the counts so far.
func (s *Splitter) Stats() SplitStats { return s.stats }

// Write takes the next bytes of the stream, received at the time at, and calls yield for each line
// that they complete, without its newline. The line is only valid during the call: it lies within p,
// or in a buffer that is used again.
func (s *Splitter) Write(p []byte, at time.Time, yield func(line []byte, at time.Time)) {
	s.stats.Bytes += int64(len(p))
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			s.keep(p)
			return
		}
		line := p[:i]
		p = p[i+1:]
		if len(s.partial) > 0 || s.skip {
			s.keep(line)
			line = s.partial
		}
		s.end(line, at, yield)
	}
}

// Flush ends the stream: yield is called for a last line that has no newline.
func (s *Splitter) Flush(at time.Time, yield func(line []byte, at time.Time)) {
	if len(s.partial) > 0 || s.skip {
		s.end(s.partial, at, yield)
	}
}

func (s *Splitter) end(line []byte, at time.Time, yield func([]byte, time.Time)) {
	s.stats.Lines++
	if s.skip || len(line) > MaxLine {
		s.stats.Oversize++
	} else {
		yield(line, at)
	}
	s.partial, s.skip = s.partial[:0], false
}

// keep adds p to the unfinished line.
func (s *Splitter) keep(p []byte) {
	if s.skip {
		return
	}
	if len(s.partial)+len(p) > MaxLine {
		s.partial, s.skip = nil, true
		return
	}
	s.partial = append(s.partial, p...)
}
