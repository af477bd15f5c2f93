package exporter

import (
	"fmt"
	"net/url"
	"strings"

	"go.opentelemetry.io/otel/sdk"
	"go.opentelemetry.io/otel/sdk/resource"

	"cbc-otel/mapping"
)

const keyServiceName = "service.name"

// resourceAttributes lists what describes the source of the spans, later entries winning over earlier ones of
// the same key: the defaults, OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME, what the configuration gave. Then the
// rules see all of it.
func resourceAttributes(o Options, fromEnv []mapping.Attribute) (attrs []mapping.Attribute) {
	attrs = append(attrs, mapping.Attribute{Key: keyServiceName, Value: ScopeName})
	if o.DefaultResource != nil {
		attrs = append(attrs, o.DefaultResource()...)
	}
	attrs = append(attrs, fromEnv...)
	if name := strings.TrimSpace(o.Getenv("OTEL_SERVICE_NAME")); name != "" {
		attrs = append(attrs, mapping.Attribute{Key: keyServiceName, Value: name})
	}
	attrs = append(attrs, o.Resource...)
	if o.ServiceName != "" {
		attrs = append(attrs, mapping.Attribute{Key: keyServiceName, Value: o.ServiceName})
	}
	attrs = append(attrs,
		mapping.Attribute{Key: "telemetry.sdk.language", Value: "go"},
		mapping.Attribute{Key: "telemetry.sdk.name", Value: "opentelemetry"},
		mapping.Attribute{Key: "telemetry.sdk.version", Value: sdk.Version()},
	)
	attrs = lastOfEachKey(attrs)
	if o.Filter.Resource != nil {
		attrs = o.Filter.Resource(attrs)
	}
	return attrs
}

func newResource(attrs []mapping.Attribute) *resource.Resource {
	return resource.NewSchemaless(keyValues(attrs)...)
}

// parseResource reads key=value pairs in the form of W3C Baggage: comma-separated, values percent-encoded. A
// pair that cannot be read is left out with a warning that does not repeat it.
func parseResource(text string) (attrs []mapping.Attribute, warnings []string) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue // a trailing comma
		}
		key, value, found := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		switch {
		case !found || key == "":
			warnings = append(warnings, fmt.Sprintf("OTEL_RESOURCE_ATTRIBUTES: entry %d is not key=value; ignored", i+1))
		case err != nil:
			warnings = append(warnings, fmt.Sprintf("OTEL_RESOURCE_ATTRIBUTES: the value of entry %d has a %% that is no percent-encoding; ignored", i+1))
		default:
			attrs = append(attrs, mapping.Attribute{Key: key, Value: decoded})
		}
	}
	return attrs, warnings
}

func lastOfEachKey(attrs []mapping.Attribute) []mapping.Attribute {
	at := make(map[string]int, len(attrs))
	var out []mapping.Attribute
	for _, a := range attrs {
		if i, ok := at[a.Key]; ok {
			out[i].Value = a.Value
			continue
		}
		at[a.Key] = len(out)
		out = append(out, a)
	}
	return out
}
