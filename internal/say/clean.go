package say

import (
	"strings"
	"unicode/utf8"
)

// Clean makes a text of unknown origin safe to show in one line: valid UTF-8 without control characters
// (white space among them becomes a space), terminal sequences and bidirectional overrides.
func Clean(text string) string { return clean(text, false, false) }

// clean keeps newlines if lines is true, and SGR sequences (colours) if styled is true.
func clean(text string, lines, styled bool) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		if n := sequence(text[i:]); n > 0 {
			if styled && isStyle(text[i:i+n]) {
				b.WriteString(text[i : i+n])
			}
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case r == '\n' && lines:
			b.WriteByte('\n')
		case r == '\r' && strings.HasPrefix(text[i:], "\n"):
			// half of a line end
		case r == '\n', r == '\r', r == '\t', r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
			b.WriteByte(' ')
		case r == utf8.RuneError && size == 1:
			b.WriteRune(utf8.RuneError)
		case r < 0x20, r >= 0x7f && r < 0xa0, isBidi(r), r == 0xfeff:
			// dropped
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain reports whether there is nothing to clean, the ordinary case.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < 0x20 || text[i] >= 0x7f {
			return false
		}
	}
	return true
}

// sequence returns the length of the terminal sequence text starts with (ECMA-48), or 0. One that is not
// ended takes the rest of its line with it, as a terminal would.
func sequence(text string) int {
	kind, start := byte(0), 0
	switch {
	case len(text) > 1 && text[0] == 0x1b:
		kind, start = text[1], 2
	case len(text) > 1 && text[0] == 0xc2 && text[1] >= 0x80 && text[1] <= 0x9f: // C1 in UTF-8
		kind, start = text[1]-0x40, 2
	default:
		return 0
	}
	switch kind {
	case '[': // CSI: parameters, then one final byte
		for i := start; i < len(text); i++ {
			if text[i] >= 0x40 && text[i] <= 0x7e {
				return i + 1
			}
			if text[i] < 0x20 || text[i] > 0x7e {
				return i
			}
		}
		return len(text)
	case ']', 'P', 'X', '^', '_': // strings, ended by BEL or ST
		for i := start; i < len(text); i++ {
			switch {
			case text[i] == '\n':
				return i
			case text[i] == 0x07:
				return i + 1
			case strings.HasPrefix(text[i:], "\x1b\\"), strings.HasPrefix(text[i:], "\u009c"):
				return i + 2
			}
		}
		return len(text)
	case '(', ')', '*', '+', '#', '%', ' ': // one more byte
		if start < len(text) && text[start] >= 0x20 && text[start] < 0x7f {
			return start + 1
		}
	}
	switch {
	case text[0] != 0x1b:
		return 0 // another C1 control, some of which are white space
	case kind < 0x20 || kind > 0x7e:
		return 1
	}
	return start
}

// isStyle reports whether a terminal sequence changes nothing but how text looks.
func isStyle(seq string) bool {
	if !strings.HasPrefix(seq, "\x1b[") || !strings.HasSuffix(seq, "m") {
		return false
	}
	return strings.Trim(seq[2:len(seq)-1], "0123456789;") == ""
}

func isBidi(r rune) bool {
	return r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// Inert changes a line so that no CI system takes it, or a part of it, for a command. GitHub Actions takes
// "::name ...::" at the start of a line (and a log may be shown without our prefix), it and Azure Pipelines
// take "##[" and "##vso[" anywhere in one; TeamCity has "##teamcity[".
func Inert(line string) string {
	line = breakHashes(line)
	if at := strings.Index(line, "::"); at < 0 || strings.TrimLeft(line[:at], " ") != "" && !strings.Contains(line[at+2:], "::") {
		return line // a single one may well be an IPv6 address
	}
	for strings.Contains(line, "::") {
		line = strings.ReplaceAll(line, "::", ": :")
	}
	return line
}

// InertLines is [Inert] for each line of a text.
func InertLines(text string) string {
	if !strings.Contains(text, "##") && !strings.Contains(text, "::") {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		lines[i] = Inert(line)
	}
	return strings.Join(lines, "")
}

// breakHashes puts a space between the hashes of "##[" and "##word[".
func breakHashes(line string) string {
	for from := 0; ; {
		at := strings.Index(line[from:], "##")
		if at < 0 {
			return line
		}
		at += from
		rest := strings.TrimLeft(line[at+2:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if strings.HasPrefix(rest, "[") {
			line = line[:at+1] + " " + line[at+1:]
		}
		from = at + 1
	}
}

// cut shortens text to at most limit bytes, at a rune's edge; a cut is marked with "…".
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
