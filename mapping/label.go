package mapping

import (
	"strings"
	"unicode/utf8"
)

// promptHead is how much of the prompt the CLI makes a label of, in UTF-16 units.
const promptHead = 60

// ownLabel returns label without the suffix the CLI appends from the second attempt on: " (retry N)" or
// " (throttle-retry)".
func ownLabel(label string, attempt number) string {
	if attempt < 2 || !strings.HasSuffix(label, ")") {
		return label
	}
	if s, ok := strings.CutSuffix(label, " (throttle-retry)"); ok {
		return s
	}
	i := strings.LastIndex(label, " (retry ")
	if i < 0 {
		return label
	}
	n := label[i+len(" (retry ") : len(label)-1]
	if n == "" || strings.Trim(n, "0123456789") != "" {
		return label
	}
	return label[:i]
}

// isPromptLabel reports whether the label is the one an agent without a label of its own gets: the first 60 UTF-16
// units of its prompt, white space collapsed and trimmed. It is what somebody wrote then, not a name. A label that
// only begins like the prompt was chosen by the author.
func isPromptLabel(label, prompt string) bool {
	if label == "" || prompt == "" {
		return false
	}
	label = collapse(label)
	var b [utf8.UTFMax * promptHead]byte
	return label == string(appendHead(b[:0], prompt)) ||
		label == string(appendHead(b[:0], units(prompt, promptHead))) // should a version of the CLI cut first
}

// appendHead appends the first 60 UTF-16 units of s, white space collapsed and trimmed.
func appendHead(b []byte, s string) []byte {
	left, space := promptHead, false
	for _, r := range s {
		if isSpace(r) {
			space = len(b) > 0
			continue
		}
		if space {
			if left--; left == 0 {
				break // it would be the last one
			}
			b, space = append(b, ' '), false
		}
		if r > 0xffff {
			left--
		}
		if left == 0 {
			return utf8.AppendRune(b, utf8.RuneError) // half of a pair
		}
		b = utf8.AppendRune(b, r)
		if left--; left == 0 {
			break
		}
	}
	return b
}

// units returns the first n UTF-16 units of s. Half of a surrogate pair comes out as U+FFFD, as it does when the
// text is decoded.
func units(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i, r := range s {
		if n == 0 {
			return s[:i]
		}
		n--
		if r > 0xffff {
			if n == 0 {
				return s[:i] + "\uFFFD"
			}
			n--
		}
	}
	return s
}
