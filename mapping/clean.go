package mapping

import (
	"strings"
	"unicode/utf8"
)

// What is kept of a text of several lines until its span is made, in runes. What somebody sends must not decide how
// much memory is used. A text within the bound, as every ordinary one is, is kept as it came.
const (
	keepError   = 2 * maxText // the words that tell what kind of error it is may come late
	keepContent = maxContent
)

// texts makes values of untrusted text.
type texts struct {
	redact func(string) string // nil: nothing is redacted
	done   map[string]string   // of the tree in work: models, ids and names repeat
}

// clean returns s without anything that must not leave, but for its line breaks and its length. Redaction comes
// after the removal of what could hide a secret from it, and before any cut, which could leave half of one.
func (t *texts) clean(s string) string {
	s = sanitise(s)
	if t.redact != nil && s != "" {
		s = sanitise(t.redact(s))
	}
	return s
}

// full returns a name of any length: clean, white space collapsed.
func (t *texts) full(s string) string {
	if s == "" {
		return ""
	}
	if n, ok := t.done[s]; ok {
		return n
	}
	n := collapse(t.clean(s))
	if t.done != nil {
		t.done[s] = n
	}
	return n
}

// name returns a name, at most maxText runes.
func (t *texts) name(s string) string { return cut(t.full(s), maxText) }

// content returns a text of several lines in one, at most maxContent runes.
func (t *texts) content(s string) string { return cut(oneLine(t.clean(s)), maxContent) }

// keep returns what of a text of several lines is to be kept, at most about limit runes.
func (t *texts) keep(s string, limit int) string {
	if len(s) <= utf8.UTFMax*limit {
		return s
	}
	return strings.Clone(cut(t.clean(s), limit))
}

// keepName is keep for a name.
func (t *texts) keepName(s string) string {
	if len(s) <= utf8.UTFMax*maxText {
		return s
	}
	return strings.Clone(t.name(s))
}

// spanName joins an operation and a name.
func spanName(operation, name string) string {
	if name == "" {
		return operation
	}
	return cut(operation+" "+name, maxSpanName)
}
