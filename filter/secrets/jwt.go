package secrets

import "strings"

// jwtHeaders are the beginnings, in base64url, of {"alg":, {"typ":, {"kid":, {"enc":, {"cty":, {"zip":,
// {"jku":, {"jwk":, {"x5t": and {"x5c": : by them a token is known whose payload was cut off.
var jwtHeaders = []string{
	"eyJhbGciOi", "eyJ0eXAiOi", "eyJraWQiOi", "eyJlbmMiOi", "eyJjdHkiOi", "eyJ6aXAiOi",
	"eyJqa3UiOi", "eyJqd2siOi", "eyJ4NXQiOi", "eyJ4NWMiOi",
}

// findJWTs finds JSON web tokens, signed (three parts) or encrypted (five), whole or cut off.
// Other JSON in base64 is none.
func findJWTs(s string, found []part) []part {
	for at := 0; ; {
		i := strings.Index(s[at:], "eyJ")
		if i < 0 {
			return found
		}
		i += at
		end := run(s, i, isURL64)
		header := s[i:end]
		for parts := 1; parts < 5 && end < len(s) && s[end] == '.'; parts++ {
			next := run(s, end+1, isURL64)
			if next == end+1 && !strings.HasPrefix(s[next:], ".") {
				break
			}
			end = next
		}
		if knownHeader(header) || len(header) >= 10 && strings.HasPrefix(s[i+len(header):], ".eyJ") {
			found = append(found, part{i, end})
		}
		at = end
	}
}

func knownHeader(header string) bool {
	for _, h := range jwtHeaders {
		if strings.HasPrefix(header, h) {
			return true
		}
	}
	return false
}
