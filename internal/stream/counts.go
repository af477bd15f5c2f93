package stream

// Counts says what went through a stream's splitter and decoder.
type Counts struct {
	Bytes      int64
	Lines      int64
	Events     int64 // lines that were decoded to an event
	Unparsable int64 // lines that look like an event and are not JSON
	Oversize   int64 // lines longer than MaxLine, which were not looked at
}

// Add takes over what a splitter has counted.
func (c *Counts) Add(s SplitStats) {
	c.Bytes += s.Bytes
	c.Lines += s.Lines
	c.Oversize += s.Oversize
}

// Verdict counts what a line that may matter turned out to be.
func (c *Counts) Verdict(v Verdict) {
	switch v {
	case Decoded:
		c.Events++
	case Unparsable:
		c.Unparsable++
	}
}
