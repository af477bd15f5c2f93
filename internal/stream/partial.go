package stream

// segment is how much of an unfinished line is held in one piece. What is longer is rarely of use, and
// growing one buffer for it would take twice the memory.
const segment = 1 << 20

// partial is the start of a line.
type partial struct {
	buf  []byte   // its first bytes, at most a segment
	more [][]byte // the following ones, a segment each
	free [][]byte // segments of earlier lines
	size int
	last int // size of the line before

	marked bool // it has a marker: see indexMarker
	tail   tail
}

// tail is the end of a partial line, where a marker may begin.
type tail struct {
	b [maxMarker - 1]byte
	n int
}

func (l *partial) add(p []byte) {
	if len(p) == 0 {
		return
	}
	l.size += len(p)
	l.scan(p)
	if room := segment - len(l.buf); len(p) > room {
		l.grow(segment)
		l.buf = append(l.buf, p[:room]...)
		l.addMore(p[room:])
		return
	}
	l.grow(len(l.buf) + len(p))
	l.buf = append(l.buf, p...)
}

// grow makes room for n bytes in buf: twice what it needs now, or what the line before needed and a
// little more, as snapshots grow; up to a segment.
func (l *partial) grow(n int) {
	if n > cap(l.buf) {
		bigger := make([]byte, len(l.buf), min(max(2*n, l.last+l.last/8), segment))
		copy(bigger, l.buf)
		l.buf = bigger
	}
}

func (l *partial) addMore(p []byte) {
	for len(p) > 0 {
		last := len(l.more) - 1
		if last < 0 || len(l.more[last]) == segment {
			l.more = append(l.more, l.segment())
			last++
		}
		n := min(len(p), segment-len(l.more[last]))
		l.more[last] = append(l.more[last], p[:n]...)
		p = p[n:]
	}
}

func (l *partial) segment() []byte {
	if last := len(l.free) - 1; last >= 0 {
		s := l.free[last]
		l.free = l.free[:last]
		return s
	}
	return make([]byte, 0, segment)
}

// scan looks for a marker while the bytes are still in the processor's cache.
func (l *partial) scan(p []byte) {
	if l.marked {
		return
	}
	seam := append(make([]byte, 0, 2*len(l.tail.b)), l.tail.b[:l.tail.n]...)
	seam = append(seam, p[:min(len(p), len(l.tail.b))]...)
	l.marked = indexMarker(seam) >= 0 || indexMarker(p) >= 0
	if len(p) < len(l.tail.b) {
		p = seam
	}
	l.tail.n = copy(l.tail.b[:], p[max(0, len(p)-len(l.tail.b)):])
}

// matters is MayMatter of the line.
func (l *partial) matters() bool { return l.marked && MayMatter(l.bytes()) }

// bytes returns the line in one piece.
func (l *partial) bytes() []byte {
	if l.more != nil {
		all := append(make([]byte, 0, l.size), l.buf...)
		for _, m := range l.more {
			all = append(all, m...)
		}
		l.recycle()
		l.buf = all
	}
	return l.buf
}

// reset forgets the line, and keeps its memory for the next: where one was long, others will be.
func (l *partial) reset() {
	l.recycle()
	buf := l.buf[:0]
	if cap(buf) > segment {
		buf = nil
	}
	*l = partial{buf: buf, free: l.free, last: l.size}
}

func (l *partial) recycle() {
	for _, m := range l.more {
		l.free = append(l.free, m[:0])
	}
	l.more = nil
}
