package config

import "strings"

// linkTemplate is the address of a trace in a backend, with a place for its id.
type linkTemplate struct{}

const (
	linkWanted  = "a URL with {trace_id} in it, such as http://localhost:16686/trace/{trace_id}"
	linkPattern = `^https?://[^\s<>]*\{trace_id\}[^\s<>]*$`
)

func (linkTemplate) parse(s, shown string) (any, string) {
	switch {
	case !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://"):
		return nil, quoted(s, shown) + " has a scheme that is neither http nor https"
	case !strings.Contains(s, "{trace_id}"):
		return nil, quoted(s, shown) + " has no {trace_id}"
	case strings.ContainsAny(s, " \t\r\n\v\f<>"):
		return nil, quoted(s, shown) + " is not a URL"
	}
	return s, ""
}

func (k linkTemplate) shape() *shape {
	return parsed(k, linkWanted, map[string]any{"type": "string", "pattern": linkPattern})
}
