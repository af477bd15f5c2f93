package secrets

import "strings"

// Small tests on bytes. Credentials are ASCII; a byte of any other rune ends a word.

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isAlnum(c byte) bool { return isDigit(c) || isUpper(c) || isLower(c) }
func isWord(c byte) bool  { return isAlnum(c) || c == '_' }
func isURL64(c byte) bool { return isWord(c) || c == '-' }
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// isToken68 reports whether c may stand in the credentials of an Authorization header (RFC 9110 section 11.2).
func isToken68(c byte) bool { return isAlnum(c) || strings.IndexByte("-._~+/=", c) >= 0 }

// run returns the end of the run of bytes from at on that are in the class.
func run(s string, at int, class func(byte) bool) int {
	for at < len(s) && class(s[at]) {
		at++
	}
	return at
}

// wordStart reports whether a word can begin at s[at]: nothing word-like stands before it. The letter of
// an escape (\n, %20) belongs to no word.
func wordStart(s string, at int) bool {
	if at == 0 || !isWord(s[at-1]) {
		return true
	}
	if at >= 2 && s[at-2] == '\\' {
		return true
	}
	return at >= 3 && s[at-3] == '%' && isHex(s[at-2]) && isHex(s[at-1])
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// atEnd reports whether a text, or what was left of it by somebody's cut, is over at at.
func atEnd(s string, at int) bool {
	return at == len(s) || strings.HasPrefix(s[at:], "…") || strings.HasPrefix(s[at:], "...")
}

// hasDigit and mixedCase tell random strings from words.
func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func mixedCase(s string) bool {
	var lower, inner bool
	for i := range len(s) {
		lower = lower || isLower(s[i])
		inner = inner || i > 0 && isUpper(s[i])
	}
	return lower && inner
}

// credentialLike reports whether a value looks made by a machine: no word of prose, no plain number.
func credentialLike(v string) bool {
	if len(v) < 8 {
		return false
	}
	letters := strings.Trim(v, "0123456789.,-:") != ""
	return letters && hasDigit(v) || len(v) >= 12 && mixedCase(v) || len(v) >= 16 && !letters
}

// indexFold returns the index of the next occurrence, in whatever case, of the lower-case word in s from
// at on, or -1.
func indexFold(s string, at int, word string) int {
	for ; at+len(word) <= len(s); at++ {
		if s[at]|0x20 == word[0] && strings.EqualFold(s[at:at+len(word)], word) {
			return at
		}
	}
	return -1
}
