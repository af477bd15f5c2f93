package secrets

import "strings"

// findPrivateKeys finds PEM and PGP blocks of private keys, from BEGIN to END or to the end of the text.
func findPrivateKeys(s string, found []part) []part {
	for at := 0; ; {
		i := strings.Index(s[at:], "BEGIN ")
		if i < 0 {
			return found
		}
		i += at
		at = i + len("BEGIN ")
		begin := len(strings.TrimRight(strings.TrimSuffix(s[:i], " "), "-"))
		label, _, isKey := strings.Cut(s[at:min(len(s), at+48)], "PRIVATE KEY")
		if !isKey || i-begin < 4 || strings.Contains(label, "--") {
			continue
		}
		end := len(s)
		if j := strings.Index(s[at:], "END "+label+"PRIVATE KEY"); j >= 0 {
			end = at + j + len("END "+label+"PRIVATE KEY")
			end += len(s[end:]) - len(strings.TrimPrefix(s[end:], " BLOCK"))
			end = run(s, end, func(c byte) bool { return c == '-' })
		}
		found = append(found, part{begin, end})
		at = end
	}
}
