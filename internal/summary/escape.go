package summary

import (
	"fmt"
	"strings"
	"unicode"

	"cbc-otel/internal/say"
)

// gap is seen by no reader. It parts what renderers would make a link, a mention or a reference of.
const gap = "<!-- -->"

// Escape makes a text of unknown origin text in Markdown, too: within a line, a heading, a table's cell or
// emphasis it shows as it is. Terminal sequences, controls and bidirectional overrides are gone. In the source
// there is nothing a CI system takes for a command, either, should the file get into a log.
func Escape(text string) string {
	text = strings.Join(strings.Fields(say.Clean(text)), " ")
	var b strings.Builder
	b.Grow(len(text) + 16)
	colons := strings.Count(text, ":")
	word := 0 // where the current run of letters started, in text
	for i, r := range text {
		if !unicode.IsLetter(r) {
			if r == '.' && strings.EqualFold(text[word:i], "www") {
				b.WriteString(gap)
			}
			word = i + len(string(r))
		}
		switch {
		case strings.ContainsRune("<>&|$", r): // HTML, cells of tables, formulas
			fmt.Fprintf(&b, "&#%d;", r)
		case r == ':' && (colons > 1 || strings.HasPrefix(text[i:], ":/")): // commands, emoji, addresses
			b.WriteString("&#58;" + gap)
		case r == '@' || r == '#': // mentions, addresses, references to issues
			b.WriteString("\\" + string(r) + gap)
		case strings.ContainsRune("\\`*_[]~", r):
			b.WriteString("\\" + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cell is Escape for a text of limited length, with a mark for none.
func cell(text string) string {
	if runes := []rune(text); len(runes) > maxText {
		text = string(runes[:maxText-1]) + "…"
	}
	return Escape(text)
}

// address makes a link of the user's own template fit between < and >.
func address(link string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", "\\", "%5C", " ", "%20", "\n", "", "\r", "").Replace(say.Clean(link))
}
