package secrets

import "strings"

// longUserinfo bounds how far from :// an @ is looked for.
const longUserinfo = 1 << 10

// findUserinfo finds the user and password of URLs: what stands between :// and the @ of the authority.
// A lone git is the name everybody uses for ssh, and no credential.
func findUserinfo(s string, found []part) []part {
	for at := 0; ; {
		i := strings.Index(s[at:], "://")
		if i < 0 {
			return found
		}
		i += at
		begin := i + len("://")
		at = begin
		if i == 0 || !isAlnum(s[i-1]) {
			continue // no scheme
		}
		end := userinfoEnd(s[begin:min(len(s), begin+longUserinfo)])
		if end <= 0 || s[begin:begin+end] == "git" {
			continue
		}
		found = append(found, part{begin, begin + end})
		at = begin + end
	}
}

// userinfoEnd returns where the userinfo of rest, what follows ://, ends, or -1 when it has none.
//
// By RFC 3986 the authority ends at the first /, ? or #, and these are escaped in a password. People
// paste them as they are all the same; such a password is known by a port that is no number.
func userinfoEnd(rest string) int {
	inURL := func(c byte) bool { return !isSpace(c) && !isQuote(c) && c != '<' && c != '>' && c != '\\' }
	authority := rest[:run(rest, 0, func(c byte) bool { return inURL(c) && c != '/' && c != '?' && c != '#' })]
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		return at
	}
	_, port, hasPort := strings.Cut(authority, ":")
	if !hasPort || port == "" || run(port, 0, isDigit) == len(port) || strings.HasPrefix(authority, "[") {
		return -1
	}
	rest = rest[:run(rest, 0, inURL)]
	if next := strings.Index(rest, "://"); next >= 0 {
		rest = rest[:next]
	}
	return strings.IndexByte(rest, '@')
}
