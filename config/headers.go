package config

import (
	"fmt"
	"net/url"
	"strings"
)

// Secret is text that is shown nowhere: fmt and the encoders print asterisks.
type Secret string

const masked = "****"

func (Secret) String() string               { return masked }
func (Secret) GoString() string             { return masked }
func (Secret) MarshalText() ([]byte, error) { return []byte(masked), nil }

// Header is a header (or gRPC metadata) sent with each export.
type Header struct {
	Name  string
	Value Secret
}

// HeaderMap returns the headers with names in lower case, as gRPC wants them. It is never nil.
func (o OTLP) HeaderMap() map[string]string {
	m := make(map[string]string, len(o.Headers))
	for _, h := range o.Headers {
		m[strings.ToLower(h.Name)] = string(h.Value)
	}
	return m
}

// headers are pairs of names and values; their values are secret.
type headers struct{}

const headersWanted = "name=value pairs with commas between them, values percent-encoded where needed"

// parse reads what OTEL_EXPORTER_OTLP_HEADERS may hold (OTLP exporter specification). Its messages count
// pairs and show none: what stands before a stray "=" may be the secret itself.
func (headers) parse(s, _ string) (any, string) {
	var list []Header
	for i, pair := range strings.Split(s, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		if !ok {
			return nil, fmt.Sprintf("pair %d has no =", i+1)
		}
		if !isToken(name) {
			return nil, fmt.Sprintf("pair %d has a name that is no header name", i+1)
		}
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if err != nil {
			return nil, fmt.Sprintf("pair %d has a %% without two hex digits after it", i+1)
		}
		if !isHeaderValue(value) {
			return nil, fmt.Sprintf("pair %d has a value with control characters", i+1)
		}
		list = append(list, Header{name, Secret(value)})
	}
	return list, ""
}

const tokenPattern = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"

func (headers) shape() *shape {
	return &shape{
		wants: "a mapping of header names to values",
		key: func(key string) (string, string) {
			if !isToken(key) {
				return "is no header name", "letters, digits and - (the characters of an HTTP token)"
			}
			return "", ""
		},
		extra: map[string]any{"propertyNames": map[string]any{"pattern": tokenPattern}},
		each: &shape{
			wants:  "text without control characters",
			schema: map[string]any{"type": "string", "pattern": `^[^\x00-\x08\x0a-\x1f\x7f]*$`},
			scalar: func(n *node) (any, string) {
				text, problem := textNode(n)
				if problem == "" && !isHeaderValue(text) {
					problem = "has a control character"
				}
				return Secret(text), problem
			},
		},
	}
}

// isToken reports whether s can name a header (RFC 9110 section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		alnum := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !alnum && !strings.Contains("!#$%&'*+-.^_`|~", string(c)) {
			return false
		}
	}
	return s != ""
}

func isHeaderValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7f })
}
