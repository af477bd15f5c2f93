package exporter

import (
	"fmt"
	"net/url"
	"strings"
)

// headers takes those of the configuration, else OTEL_EXPORTER_OTLP_[TRACES_]HEADERS: key=value pairs, separated
// by commas, values percent-encoded (OTLP exporter specification). Messages never hold a pair: it is a secret.
func (r *resolver) headers(o OTLP) {
	if o.Headers != nil {
		r.target.Headers = make(map[string]string, len(o.Headers))
		for k, v := range o.Headers {
			if problem := checkHeader(k, v); problem != "" {
				r.fail("headers: %s", problem)
				continue
			}
			r.target.Headers[strings.ToLower(k)] = v
		}
		return
	}
	text, key := r.env("HEADERS")
	if text == "" {
		return
	}
	r.target.Origins["Headers"] = key
	headers, err := ParseHeaders(text)
	if err != nil {
		r.fail("%s: %w", key, err)
		return
	}
	r.target.Headers = headers
}

// ParseHeaders reads headers in the form of the OTEL_EXPORTER_OTLP_HEADERS variable. Names come back in lower case.
func ParseHeaders(text string) (map[string]string, error) {
	headers := make(map[string]string)
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, found := strings.Cut(pair, "=")
		if !found {
			return nil, fmt.Errorf("entry %d is not key=value", i+1)
		}
		key = strings.TrimSpace(key)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if err != nil {
			return nil, fmt.Errorf("the value of entry %d has a %% that is no percent-encoding (write %%25 for a %%)", i+1)
		}
		if problem := checkHeader(key, value); problem != "" {
			return nil, fmt.Errorf("entry %d: %s", i+1, problem)
		}
		headers[strings.ToLower(key)] = value
	}
	return headers, nil
}

// checkHeader allows what both protocols can send.
func checkHeader(key, value string) (problem string) {
	if key == "" {
		return "a header without a name"
	}
	for _, c := range []byte(key) {
		if !isToken(c) {
			return "the name of a header has a character that is not allowed"
		}
	}
	for _, c := range []byte(value) {
		if c < 0x20 || c > 0x7e {
			return fmt.Sprintf("the value of %s has a character that is not allowed (only printable ASCII is)", key)
		}
	}
	return ""
}

// isToken is the tchar of RFC 9110 section 5.6.2.
func isToken(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}
