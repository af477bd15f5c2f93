package secrets

import "strings"

// quoted returns what is in the quotes that open at at; ok is false if none do. What is no secret is empty.
func quoted(s string, at int) (v part, ok bool) {
	begin := closeQuote(s, at)
	if begin == at {
		return part{}, false
	}
	end := quotedEnd(s, begin, s[at:begin])
	if text := s[begin:min(end, begin+longest)]; isReference(text) || isNothing(text) {
		return part{}, true
	}
	return part{begin, end}, true
}

// quotedEnd returns where the quote that was opened before begin is closed, or the end of the text.
func quotedEnd(s string, begin int, quote string) int {
	for at := begin; at < len(s); at++ {
		if strings.HasPrefix(s[at:], quote) {
			return at
		}
		if s[at] == '\\' && len(quote) == 1 {
			at++
		}
	}
	return len(s)
}

// unquoted returns the value without quotes that begins at begin. It ends at a blank, a quote, & or ;, or at
// a comma that is followed by the next name. Closing brackets and punctuation at its end are not part of it.
func (a *assignments) unquoted(begin int) part {
	if begin < a.run.start || begin >= a.run.end {
		a.run = part{begin, rawEnd(a.s, begin)}
	}
	end := a.run.end
	for end > begin && strings.IndexByte(",.)}]>!?:", a.s[end-1]) >= 0 {
		end--
	}
	return part{begin, end}
}

func rawEnd(s string, begin int) int {
	end := begin
	for end < len(s) && !isSpace(s[end]) && !isQuote(s[end]) && s[end] != '&' && s[end] != ';' && s[end] != '\\' {
		if s[end] == ',' {
			next := run(s, end+1, isURL64)
			if next < len(s) && (s[next] == '=' || s[next] == ':') || next == end+1 {
				break
			}
		}
		if strings.HasPrefix(s[end:], "…") {
			break
		}
		end++
	}
	return end
}

// line returns where the line or the quoted text that goes on at begin ends.
func (a *assignments) line(begin int) int {
	if begin > a.lineEnd {
		a.lineEnd = run(a.s, begin, func(c byte) bool { return c != '\n' && c != '\r' && c != '\\' && !isQuote(c) })
	}
	return a.lineEnd
}

// longest is how much of a value is looked at to judge it.
const longest = 256

// isSecretValue judges a value without quotes. With a colon or blanks it may be prose or code; name=value
// is neither.
func isSecretValue(v string, kind class, colon, spaced bool) bool {
	v = v[:min(len(v), longest)]
	loose := colon || spaced
	switch {
	case v == "", isReference(v), isNothing(v), isCall(v):
		return false
	case loose && (isStopWord(v) || isCode(v, kind) || isHexNumber(v)):
		return false
	case kind == password:
		return len(v) >= 4 || !loose
	case isPath(v), isHexNumber(v), run(v, 0, isDigit) == len(v) && len(v) < 16:
		return false
	case loose:
		return credentialLike(v)
	}
	return len(v) >= 4
}
