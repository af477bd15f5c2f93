package secrets

import "strings"

// findEmails finds e-mail addresses: name@host.tld. git@host, a package's @scope and pkg@1.2.3 are none.
func findEmails(s string, found []part) []part {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '@')
		if i < 0 {
			return found
		}
		i += at
		at = i + 1
		begin := i
		for begin > 0 && (s[begin-1] >= 0x80 || isWord(s[begin-1]) || strings.IndexByte(".%+-", s[begin-1]) >= 0) {
			begin--
		}
		end := run(s, at, func(c byte) bool { return isURL64(c) || c == '.' || c >= 0x80 })
		host := strings.TrimRight(s[at:end], ".-")
		dot := strings.LastIndexByte(host, '.')
		if begin == i || s[begin:i] == "git" || dot <= 0 || len(host)-dot < 3 || hasDigit(host[dot:]) && !strings.HasPrefix(host[dot:], ".xn--") {
			continue
		}
		found = append(found, part{begin, at + len(host)})
	}
}
