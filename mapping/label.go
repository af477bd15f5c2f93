package mapping

import "strings"

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
	return label == collapse(units(collapsedHead(prompt, promptHead), promptHead)) ||
		label == collapse(units(prompt, promptHead)) // should a version of the CLI cut first
}

// collapsedHead is collapse, but stops once it has n runes: the text may be long.
func collapsedHead(s string, n int) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if isSpace(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			n--
			space = false
		}
		if n <= 0 {
			break
		}
		b.WriteRune(r)
		n--
	}
	return b.String()
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
