package stream

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// plainRun is the number of bytes at the start of b that stand for themselves in a JSON string:
// everything but the quote, the backslash and control characters.
func plainRun(b []byte) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		// Each test sets the high bit of the bytes it finds; a borrow may set false ones, but only
		// above a true one, and only the lowest counts.
		quote := w ^ '"'*ones
		slash := w ^ '\\'*ones
		found := ((quote-ones)&^quote | (slash-ones)&^slash | (w-0x20*ones)&^w) & highs
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < 0x20 || c == '"' || c == '\\' {
			return i
		}
	}
	return i
}

// unquote appends the text of raw, the inside of a JSON string that a scanner has checked, to dst.
// A lone surrogate and each byte that is not UTF-8 become U+FFFD, as in encoding/json. It stops once
// limit bytes of text have been written (it may write a few more, never half a character).
func unquote(dst, raw []byte, limit int) []byte {
	start := len(dst)
	for i := 0; i < len(raw) && len(dst)-start < limit; {
		c := raw[i]
		switch {
		case c == '\\':
			var r rune
			r, i = unescape(raw, i)
			dst = utf8.AppendRune(dst, r)
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, n := utf8.DecodeRune(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
		}
	}
	return dst
}

// unescape reads the escape sequence at raw[i], or two that make up a surrogate pair, and returns the
// position after it.
func unescape(raw []byte, i int) (rune, int) {
	switch raw[i+1] {
	case 'b':
		return '\b', i + 2
	case 'f':
		return '\f', i + 2
	case 'n':
		return '\n', i + 2
	case 'r':
		return '\r', i + 2
	case 't':
		return '\t', i + 2
	case 'u':
	default: // " \ /
		return rune(raw[i+1]), i + 2
	}
	r, _ := hex4(raw[i:])
	i += 6
	if !utf16.IsSurrogate(r) {
		return r, i
	}
	if i+1 < len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
		low, _ := hex4(raw[i:])
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, i + 6
		}
	}
	return utf8.RuneError, i
}

// isPlain reports whether raw is its own text: ASCII without escapes.
func isPlain(raw []byte) bool {
	for _, c := range raw {
		if c >= utf8.RuneSelf || c == '\\' {
			return false
		}
	}
	return true
}
