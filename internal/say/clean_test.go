package say

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "ready at 10:00", "ready at 10:00"},
		{"other scripts", "工作流 é 🙂", "工作流 é 🙂"},
		{"line ends", "a\nb\r\nc\rd", "a b c d"},
		{"unicode line ends", "a\u2028b\u2029c\u0085d", "a b c d"},
		{"tab", "a\tb", "a b"},
		{"controls", "a\x00b\x07c\x7fd\u0081e", "abcde"},
		{"colour", "\x1b[31mred\x1b[0m", "red"},
		{"colour, 8 bit", "\u009b31mred", "red"},
		{"cursor", "a\x1b[2K\x1b[1Ab", "ab"},
		{"title ended by BEL", "a\x1b]0;title\x07b", "ab"},
		{"link ended by ST", "a\x1b]8;;http://x\x1b\\b", "ab"},
		{"unfinished string", "a\x1b]0;all of it", "a"},
		{"unfinished sequence", "a\x1b[12", "a"},
		{"sequence broken by a letter beyond ASCII", "a\x1b[1é", "aé"},
		{"two byte sequence", "a\x1bcb", "ab"},
		{"character set", "a\x1b(Bb", "ab"},
		{"lone escape", "a\x1b", "a"},
		{"escape before a newline", "a\x1b\nb", "a b"},
		{"bidi", "a\u202eb\u2066c\u200fd", "abcd"},
		{"byte order mark", "\ufeffa", "a"},
		{"invalid bytes", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"surrogate bytes", "a\xed\xa0\xbdb", "a\ufffd\ufffd\ufffdb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestInert(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "all is well", "all is well"},
		{"GitHub", "::error file=a::b", ": :error file=a: :b"},
		{"GitHub, after spaces", "  ::endgroup::", "  : :endgroup: :"},
		{"GitHub, in the middle", "error: ::set-output name=a::b", "error: : :set-output name=a: :b"},
		{"many colons", ":::a::::b", ": : :a: : : :b"},
		{"start of one", "::error", ": :error"},
		{"an IPv6 address", "http://[::1]:4318 refused", "http://[::1]:4318 refused"},
		{"Azure", "a ##vso[task.setvariable]b", "a # #vso[task.setvariable]b"},
		{"old GitHub", "##[error]x", "# #[error]x"},
		{"TeamCity", "##teamcity[x]", "# #teamcity[x]"},
		{"three hashes", "###[x]", "## #[x]"},
		{"heading", "## Title [link]", "## Title [link]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Inert(tt.in); got != tt.want {
				t.Errorf("Inert(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// FuzzLine checks what every line we write must be, whatever the text.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{"", "a", "\x1b[", "\x1b]0;x\n::error::y", "::a::b", "##vso[x]", "\xff\u202e\u009b", "a\r\n b",
		strings.Repeat("é", MaxLine), "#\x07#[error]", ":\x1b[0m:x::"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out writes
		l := New(&out, Debug)
		l.Errorf("%s", text)
		if len(out) != 1 {
			t.Fatalf("Errorf(%q) made %d writes", text, len(out))
		}
		l.Print(text)
		l.PrintStyled(text)
		for i, line := range out {
			body, ok := strings.CutPrefix(line, Prefix)
			switch {
			case !ok:
				t.Errorf("no prefix: %q", line)
			case strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n"):
				t.Errorf("not one line: %q", line)
			case len(line) > MaxLine:
				t.Errorf("%d bytes", len(line))
			case !utf8.ValidString(line):
				t.Errorf("invalid UTF-8: %q", line)
			case strings.Contains(body, "##["), strings.Contains(body, "##vso["), strings.HasPrefix(body, "::"), strings.Count(body, "::") > 1:
				t.Errorf("looks like a command: %q", line)
			case strings.ContainsFunc(strings.TrimSuffix(body, "\n"), func(r rune) bool { return r < 0x20 && r != 0x1b || r >= 0x7f && r < 0xa0 || isBidi(r) }):
				t.Errorf("control characters: %q", line)
			case i == 0 && strings.Contains(body, "\x1b"):
				t.Errorf("terminal sequence: %q", line)
			}
		}
	})
}
