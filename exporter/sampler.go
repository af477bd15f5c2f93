package exporter

import (
	"fmt"
	"strconv"
	"strings"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// sampler returns the sampler OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG ask for. A value that cannot be
// used is a warning and means the default, as the OpenTelemetry specification asks ("SDK environment variables").
func sampler(getenv func(string) string) (s sdktrace.Sampler, warnings []string) {
	const key, argKey = "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"
	fallback := sdktrace.ParentBased(sdktrace.AlwaysSample())
	name := strings.ToLower(strings.TrimSpace(getenv(key)))
	ratio := 1.0
	if arg := strings.TrimSpace(getenv(argKey)); arg != "" && strings.HasSuffix(name, "traceidratio") {
		r, err := strconv.ParseFloat(arg, 64)
		if err != nil || !(r >= 0 && r <= 1) {
			warnings = append(warnings, fmt.Sprintf("%s: %q is no number from 0 to 1; using 1", argKey, arg))
		} else {
			ratio = r
		}
	}
	switch name {
	case "", "parentbased_always_on":
		return fallback, warnings
	case "always_on":
		return sdktrace.AlwaysSample(), warnings
	case "always_off":
		return sdktrace.NeverSample(), warnings
	case "traceidratio":
		return sdktrace.TraceIDRatioBased(ratio), warnings
	case "parentbased_always_off":
		return sdktrace.ParentBased(sdktrace.NeverSample()), warnings
	case "parentbased_traceidratio":
		return sdktrace.ParentBased(sdktrace.TraceIDRatioBased(ratio)), warnings
	}
	return fallback, append(warnings, fmt.Sprintf("%s: no sampler %q here; using parentbased_always_on", key, name))
}

// spanLimits returns the SDK's limits with what OTEL_SPAN_* and the general OTEL_ATTRIBUTE_* variables change.
func spanLimits(getenv func(string) string) (l sdktrace.SpanLimits, warnings []string) {
	number := func(otherwise int, keys ...string) int {
		for _, key := range keys {
			text := strings.TrimSpace(getenv(key))
			if text == "" {
				continue
			}
			if n, err := strconv.Atoi(text); err == nil {
				return n
			}
			warnings = append(warnings, fmt.Sprintf("%s: %q is no whole number; ignored", key, text))
		}
		return otherwise
	}
	l = sdktrace.SpanLimits{
		AttributeValueLengthLimit:   number(sdktrace.DefaultAttributeValueLengthLimit, "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"),
		AttributeValueDepthLimit:    sdktrace.DefaultAttributeValueDepthLimit,
		AttributeCountLimit:         number(sdktrace.DefaultAttributeCountLimit, "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "OTEL_ATTRIBUTE_COUNT_LIMIT"),
		EventCountLimit:             number(sdktrace.DefaultEventCountLimit, "OTEL_SPAN_EVENT_COUNT_LIMIT"),
		LinkCountLimit:              number(sdktrace.DefaultLinkCountLimit, "OTEL_SPAN_LINK_COUNT_LIMIT"),
		AttributePerEventCountLimit: number(sdktrace.DefaultAttributePerEventCountLimit, "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT"),
		AttributePerLinkCountLimit:  number(sdktrace.DefaultAttributePerLinkCountLimit, "OTEL_LINK_ATTRIBUTE_COUNT_LIMIT"),
	}
	return l, warnings
}
