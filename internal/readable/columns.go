package readable

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Width is the number of columns a terminal gives to a text without control characters. Emoji of several runes are
// one character, two columns wide, as current terminals show them.
func Width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	return uniseg.StringWidth(s)
}

// Fit cuts a text to n columns, between two characters; a cut is marked with "…".
func Fit(s string, n int) string {
	if n <= 0 {
		return ""
	}
	if Width(s) <= n {
		return s
	}
	used, end := 0, 0
	state := -1
	for rest := s; rest != ""; {
		var cluster string
		var width int
		cluster, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used += width; used > n-1 {
			break
		}
		end += len(cluster)
	}
	return s[:end] + "…"
}

// Pad fills a text up to n columns, on the right.
func Pad(s string, n int) string { return s + strings.Repeat(" ", max(n-Width(s), 0)) }

// PadLeft fills a text up to n columns, on the left.
func PadLeft(s string, n int) string { return strings.Repeat(" ", max(n-Width(s), 0)) + s }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
