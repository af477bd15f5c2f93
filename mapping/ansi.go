package mapping

import (
	"strings"
	"unicode/utf8"
)

const escape = '\x1b'

// sequences finds the terminal control sequences (ECMA-48) of one text, from its start to its end.
type sequences struct {
	openEnded bool // no string terminator is left: do not look again, or hostile text takes quadratic time
}

// length returns the length of the sequence that begins with the escape or C1 control at the start of s. Of one that
// is cut off only what introduces it counts, so that a stray byte cannot swallow the text.
func (q *sequences) length(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if r == escape {
		if len(s) == n {
			return n
		}
		if s[n] < 0x40 || s[n] > 0x5f {
			return escaped(s)
		}
		r = rune(s[n]) + 0x40 // ESC and one of these stand for a C1 control
		n++
	}
	switch r {
	case '\u009b': // CSI
		return n + parameters(s[n:])
	case '\u0090', '\u0098', '\u009d', '\u009e', '\u009f': // DCS, SOS, OSC, PM, APC
		return n + q.controlString(s[n:])
	}
	return n
}

// escaped returns the length of an escape sequence without parameters, as in "ESC ( B" or "ESC 7".
func escaped(s string) int {
	i := 1
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		return i + 1
	}
	return 1
}

// parameters returns the length of what follows a control sequence introducer, its final byte included.
func parameters(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		i++
	}
	return i
}

// controlString returns the length of a string with its terminator, 0 if it has none.
func (q *sequences) controlString(s string) int {
	if q.openEnded {
		return 0
	}
	for i, r := range s {
		switch {
		case r == '\a':
			return i + 1
		case r == '\u009c':
			return i + utf8.RuneLen(r)
		case r == escape && strings.HasPrefix(s[i+1:], "\\"):
			return i + 2
		}
	}
	q.openEnded = true
	return 0
}
