package mapping

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How long values may get, in runes, the mark of a cut included.
const (
	maxSpanName = 128
	maxText     = 1024
	maxContent  = 8192
)

// cutMark ends a text that was cut.
const cutMark = "…"

// cut returns at most n runes of s, the last one being the mark if there were more.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	runes, keep := 0, 0
	for i := range s {
		if runes == n-1 {
			keep = i
		}
		if runes++; runes > n {
			return s[:keep] + cutMark
		}
	}
	return s
}

// oneLine replaces each line break and tab of sanitised text by a space.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, s)
}

// collapse trims s and makes each run of white space one space.
func collapse(s string) string {
	if !strings.Contains(s, "  ") && strings.IndexFunc(s, isOddSpace) < 0 && strings.Trim(s, " ") == s {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, isSpace), " ")
}

// isSpace is white space as JavaScript's \s has it, so that labels can be compared with what the CLI made, and what
// Unicode adds to it.
func isSpace(r rune) bool { return r == ' ' || isOddSpace(r) }

func isOddSpace(r rune) bool { return r != ' ' && unicode.IsSpace(r) || r == '\uFEFF' }

// firstLine returns the first line of s that is not blank, trimmed, and whether there is more text after it.
func firstLine(s string) (line string, more bool) {
	s = strings.TrimFunc(s, isSpace)
	i := strings.IndexAny(s, "\n\r\v\f\u0085\u2028\u2029")
	if i < 0 {
		return s, false
	}
	return strings.TrimRightFunc(s[:i], isSpace), true
}

// sanitise makes untrusted text safe to store and to show: valid UTF-8 without control characters, terminal
// sequences and bidi overrides. Line breaks come out as \n and tabs as they are, for whoever looks at lines next;
// oneLine or collapse must follow.
func sanitise(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	var ansi sequences
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == escape || r >= '\u0090' && r <= '\u009f':
			size = ansi.length(s[i:])
		case r == '\r':
			b.WriteByte('\n')
			if strings.HasPrefix(s[i+1:], "\n") {
				size++
			}
		case r == '\n' || r == '\v' || r == '\f' || r == '\u0085':
			b.WriteByte('\n')
		case r == '\t':
			b.WriteByte('\t')
		case unicode.IsControl(r) || isBidiOverride(r):
		default:
			b.WriteRune(r) // a bad byte was decoded as U+FFFD
		}
		i += size
	}
	return b.String()
}

func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// isBidiOverride says whether r is one of the embeddings, overrides and isolates that reorder the text after them.
func isBidiOverride(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
