package secrets

import (
	"encoding/base64"
	"strings"
)

// findAuthorization finds the values of Bearer and Basic, and what an Authorization header holds.
func findAuthorization(s string, found []part) []part {
	found = findScheme(s, "bearer", credentialLike, found)
	found = findScheme(s, "basic", isBasic, found)
	for at := 0; ; {
		i := indexFold(s, at, "authorization")
		if i < 0 {
			return found
		}
		at = i + len("authorization")
		f, ok := headerValue(s, at)
		if ok {
			found = append(found, f)
		}
		at = max(at, f.end)
	}
}

// longToken is the length at which a run of token bytes is masked without a further look.
const longToken = 1 << 10

// findScheme finds the credentials that follow the name of an authentication scheme.
func findScheme(s, scheme string, valid func(string) bool, found []part) []part {
	for at := 0; ; {
		i := indexFold(s, at, scheme)
		if i < 0 {
			return found
		}
		at = i + len(scheme)
		if !wordStart(s, i) {
			continue
		}
		begin := skipBlank(s, at)
		if begin == at {
			continue
		}
		end := run(s, begin, isToken68)
		if end-begin > longToken || valid(strings.TrimRight(s[begin:end], ".")) {
			found = append(found, part{begin, end})
			at = end
		}
	}
}

// skipBlank skips what stands between a scheme and its value, in a header, a URL or a shell line.
func skipBlank(s string, at int) int {
	for at < len(s) {
		switch {
		case isSpace(s[at]) || s[at] == '+' || s[at] == ':':
			at++
		case strings.HasPrefix(s[at:], "%20"):
			at += 3
		default:
			return at
		}
	}
	return at
}

// isBasic reports whether v is base64 of printable text with a colon, as Basic credentials are (RFC 7617).
// The last, incomplete group of a value that was cut off is not looked at.
func isBasic(v string) bool {
	v = strings.TrimRight(v, "=")
	if len(v)%4 == 1 || len(v) < 8 {
		v = v[:len(v)/4*4]
	}
	text, err := base64.RawStdEncoding.DecodeString(v)
	if err != nil {
		return false
	}
	colon := false
	for _, c := range text {
		if c < ' ' || c == 0x7f {
			return false
		}
		colon = colon || c == ':'
	}
	return colon
}

// headerSchemes are the first words of a header's value that are no secret themselves.
var headerSchemes = []string{
	"bearer", "basic", "token", "digest", "negotiate", "ntlm", "apikey", "api-key", "key", "oauth", "bot",
	"aws4-hmac-sha256", "tc3-hmac-sha256", "sharedkey", "splunk", "genie",
}

// headerValue finds the value of an Authorization header whose name ends at at.
func headerValue(s string, at int) (part, bool) {
	at = closeQuote(s, at)
	at = run(s, at, isSpace)
	if at == len(s) || s[at] != ':' && s[at] != '=' {
		return part{}, false
	}
	at = run(s, at+1, isSpace)
	at = closeQuote(s, at)
	end := run(s, at, func(c byte) bool { return !isSpace(c) && !isQuote(c) && c != ',' && c != '\\' })
	for _, scheme := range headerSchemes {
		if !strings.EqualFold(s[at:end], scheme) {
			continue
		}
		begin := run(s, end, isSpace)
		end = run(s, begin, func(c byte) bool {
			switch {
			case isQuote(c), c == '\n', c == '\\':
				return false
			case scheme == "bearer", scheme == "basic", scheme == "token":
				return !isSpace(c) && c != ','
			}
			return true // Digest and AWS have several parameters, up to the end of the header
		})
		v := s[begin:end]
		return part{begin, end}, len(v) >= 6 && !isReference(v) && !isStopWord(v)
	}
	return part{at, end}, credentialLike(s[at:end]) && !isReference(s[at:end])
}

// closeQuote skips a quote, with the backslash of one inside a JSON string.
func closeQuote(s string, at int) int {
	if at+1 < len(s) && s[at] == '\\' && isQuote(s[at+1]) {
		return at + 2
	}
	if at < len(s) && isQuote(s[at]) {
		return at + 1
	}
	return at
}
