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
// A line that lies within one Write is neither copied nor allocated for.
type Splitter struct {
	partial partial // the start of a line whose end has not come yet
	skip    bool    // that line is too long already, and is not kept
	yielded bool    // the line being yielded is that in partial
	stats   SplitStats
}

// SplitStats counts what a [Splitter] has seen.
type SplitStats struct {
	Bytes    int64
	Lines    int64 // finished lines of any length, and a last one without a newline
	Oversize int64 // those among them that were longer than MaxLine
}

// Yield takes a line without its newline, and when its last byte was received. The line is only valid
// during the call: it lies within the bytes given to Write, or in a buffer that is used again.
type Yield func(line []byte, at time.Time)

// Stats returns the counts so far.
func (s *Splitter) Stats() SplitStats { return s.stats }

// Write takes the next bytes of the stream, received at the time at, and yields each line that they
// complete.
func (s *Splitter) Write(p []byte, at time.Time, yield Yield) {
	s.stats.Bytes += int64(len(p))
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			s.keep(p)
			return
		}
		if s.pending() {
			s.keep(p[:i])
			s.endPartial(at, yield)
		} else {
			s.end(p[:i], at, yield)
		}
		p = p[i+1:]
	}
}

// WriteMatching is Write for a caller that needs only the lines of which [MayMatter] is true. It does
// not look for the ends of the others one by one.
func (s *Splitter) WriteMatching(p []byte, at time.Time, yield Yield) {
	s.stats.Bytes += int64(len(p))
	if s.pending() {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			s.keep(p)
			return
		}
		s.keep(p[:i])
		if s.skip || s.partial.matters() {
			s.endPartial(at, yield)
		} else {
			s.stats.Lines++
			s.drop()
		}
		p = p[i+1:]
	}
	whole := lastNewline(p) + 1
	s.matching(p[:whole], at, yield)
	s.keep(p[whole:])
}

// matching yields the lines of p that may matter. p ends with a newline, or is empty.
func (s *Splitter) matching(p []byte, at time.Time, yield Yield) {
	for len(p) > 0 {
		start := objectLine(p)
		s.others(p[:start])
		if p = p[start:]; len(p) == 0 {
			return
		}
		end := bytes.IndexByte(p, '\n')
		if line := p[:end]; len(line) > MaxLine || MayMatter(line) {
			s.end(line, at, yield)
		} else {
			s.stats.Lines++
		}
		p = p[end+1:]
	}
}

// objectLine is the length of the lines at the start of p before the first that is an object. Other text has
// few braces, so it is fast there.
func objectLine(p []byte) int {
	for i := 0; ; i++ {
		brace := bytes.IndexByte(p[i:], '{')
		if brace < 0 {
			return len(p)
		}
		i += brace
		start := i
		for start > 0 && isBlank(p[start-1]) {
			start--
		}
		if start == 0 || p[start-1] == '\n' {
			return start
		}
	}
}

// others counts whole lines that cannot matter.
func (s *Splitter) others(p []byte) {
	s.stats.Lines += int64(bytes.Count(p, []byte{'\n'}))
	for len(p) > MaxLine { // only then can there be a longer one
		i := bytes.IndexByte(p, '\n')
		if i > MaxLine {
			s.stats.Oversize++
		}
		p = p[i+1:]
	}
}

// Flush ends the stream: a last line that has no newline is yielded.
func (s *Splitter) Flush(at time.Time, yield Yield) {
	if !mutantDropLastLine && s.pending() {
		s.endPartial(at, yield)
	}
}

// Take hands the memory of the line being yielded over to the caller, whom it asks for a buffer to be used in
// its place, or nil. It returns nil, and asks for nothing, if the line lies within the bytes given to
// Write. It may only be called while yielding.
func (s *Splitter) Take(spare func() []byte) []byte {
	if !s.yielded {
		return nil
	}
	line := s.partial.buf
	s.partial.buf = spare()[:0]
	return line
}

func (s *Splitter) pending() bool { return s.skip || s.partial.size > 0 }

// keep adds p to the unfinished line.
func (s *Splitter) keep(p []byte) {
	switch {
	case s.skip:
	case s.partial.size+len(p) > MaxLine:
		s.partial.reset()
		s.skip = true
	default:
		s.partial.add(p)
	}
}

func (s *Splitter) endPartial(at time.Time, yield Yield) {
	if s.skip {
		s.stats.Lines++
		s.stats.Oversize++
	} else {
		s.yielded = true
		s.end(s.partial.bytes(), at, yield)
		s.yielded = false
	}
	s.drop()
}

// drop forgets the unfinished line.
func (s *Splitter) drop() {
	s.partial.reset()
	s.skip = false
}

func (s *Splitter) end(line []byte, at time.Time, yield Yield) {
	s.stats.Lines++
	if len(line) > MaxLine {
		s.stats.Oversize++
		return
	}
	yield(line, at)
}

// lastNewline is bytes.LastIndexByte of the newline, fast also when it is far from the end.
func lastNewline(p []byte) int {
	const block = 4 << 10
	for end := len(p); end > 0; end -= min(end, block) {
		start := max(0, end-block)
		if b := p[start:end]; bytes.IndexByte(b, '\n') >= 0 {
			return start + bytes.LastIndexByte(b, '\n')
		}
	}
	return -1
}
