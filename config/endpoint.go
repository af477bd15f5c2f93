package config

import (
	"net/url"
	"strconv"
	"strings"
)

// endpoint is a URL with scheme and host. The SDK's own reading of anything else ends at a default host
// without a word, so it is refused here.
type endpoint struct{}

const endpointWanted = "a URL with scheme and host, such as http://localhost:4318 or https://otlp.example.com"

// endpointPattern is what parseEndpoint accepts, for the schema.
const endpointPattern = `^https?://(\[[0-9A-Fa-f:.]+\]|[^/?#@:\s\[\]]+)(:[0-9]{1,5})?(/[^?#\s]*)?$`

func (endpoint) parse(s, shown string) (any, string) {
	_, problem := parseEndpoint(s, shown)
	return s, problem
}

func (k endpoint) shape() *shape {
	return parsed(k, endpointWanted, map[string]any{"type": "string", "pattern": endpointPattern})
}

// parseEndpoint returns the URL or what is wrong with it. It shows nothing that may hold credentials.
func parseEndpoint(s, shown string) (*url.URL, string) {
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		return nil, withoutScheme(s, shown)
	}
	if scheme != "http" && scheme != "https" {
		return nil, "has a scheme that is neither http nor https"
	}
	u, err := url.Parse(s)
	authority, _, _ := strings.Cut(rest, "/")
	switch {
	case strings.ContainsAny(authority, "@") || err == nil && u.User != nil:
		return nil, "holds credentials, which would not be sent (otlp.headers can)"
	case strings.ContainsAny(s, "?#"):
		return nil, "has a query or fragment, which would not be sent"
	case err != nil || strings.ContainsAny(s, " \t\r\n"):
		return nil, "is not a URL"
	case u.Hostname() == "":
		return nil, "has no host"
	}
	if strings.HasSuffix(u.Host, ":") {
		return nil, "has an empty port"
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return nil, "has a port that is not between 1 and 65535"
		}
	}
	return u, ""
}

// withoutScheme names the likely URL if that gives nothing away.
func withoutScheme(s, shown string) string {
	if shown != "" && !strings.Contains(shown, "@") {
		return quoted("", shown) + " has no scheme"
	}
	if shown != "" || s == "" || strings.ContainsAny(s, "@?# \t\r\n%\"") {
		return "has no scheme"
	}
	scheme := "https://"
	host, _, _ := strings.Cut(s, "/")
	if strings.Contains(host, ":") && !strings.HasSuffix(host, ":443") {
		scheme = "http://"
	}
	if _, problem := parseEndpoint(scheme+s, ""); problem != "" {
		return "has no scheme"
	}
	return quoted(s, "") + " has no scheme, did you mean " + scheme + s + "?"
}

// hasPath reports whether a URL has more than its host.
func hasPath(u *url.URL) bool { return strings.Trim(u.Path, "/") != "" }

// tracesPath is where OTLP over HTTP takes traces, below a base URL.
const tracesPath = "/v1/traces"
