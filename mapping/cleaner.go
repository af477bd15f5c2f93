package mapping

// Cleaner makes values of untrusted text by the rules of the mapper: for spans that are made elsewhere. It is not safe
// for concurrent use.
type Cleaner struct{ texts texts }

// NewCleaner returns a cleaner; redact as in [Options].
func NewCleaner(redact func(string) string) *Cleaner { return &Cleaner{texts{redact: redact}} }

// Name returns a value of one line: white space collapsed, at most 1,024 runes.
func (c *Cleaner) Name(s string) string { return c.texts.name(s) }

// SpanName returns the name of a span: at most 128 runes.
func (c *Cleaner) SpanName(s string) string { return cut(c.texts.full(s), maxSpanName) }

// Content returns a text of several lines in one, at most 8,192 runes.
func (c *Cleaner) Content(s string) string { return c.texts.content(s) }

// FirstLine returns the first line of a text that is not blank, as a name.
func (c *Cleaner) FirstLine(s string) string {
	line, _ := firstLine(c.texts.clean(s))
	return cut(oneLine(line), maxText)
}
