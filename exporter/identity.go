package exporter

import (
	"path/filepath"
	"strings"

	"cbc-otel/mapping"
)

// Destination tells where the pipeline's spans go from other places, header values included, without holding any.
// Making it may make the spool's key.
func (p *Pipeline) Destination() string {
	var parts []string
	for _, l := range p.lanes {
		part := l.name()
		switch {
		case part == "otlp" && p.settings.spool != nil:
			dest, err := destination(p.settings.target, p.settings.spool)
			if err != nil {
				return "" // like no other
			}
			part += " " + dest.Protocol + " " + dest.Endpoint + " " + dest.Headers
		case part == "file" && p.options.File != "":
			path, err := filepath.Abs(p.options.File)
			if err != nil {
				return ""
			}
			part += " " + path
		case part == "file":
			part += " " + p.settings.store
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// Resource lists the attributes of the resource of every span, as the rules left them.
func (p *Pipeline) Resource() []mapping.Attribute {
	return p.settings.resource()
}
