package config

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// These read standard variables. A problem of headers is an error; others are, as OpenTelemetry's
// specification wants it, a warning, and the variable counts as unset.

func otelText(s string) (any, string) { return s, "" }

func otelHeaders(s string) (any, string) { return headers{}.parse(s, "") }

func otelCompression(s string) (any, string) {
	if slices.Contains(compressions, s) {
		return s, ""
	}
	return nil, quoted(s, "") + " is not supported; supported: " + oneOf(compressions)
}

// otelTemporality takes the words in any case (OTLP metrics exporter specification).
func otelTemporality(s string) (any, string) {
	if t := strings.ToLower(s); slices.Contains(temporalities, t) {
		return t, ""
	}
	return nil, quoted(s, "") + " is not supported; supported: " + oneOf(temporalities)
}

func otelMilliseconds(s string) (any, string) {
	ms, err := strconv.ParseInt(s, 10, 32)
	if err != nil || ms <= 0 {
		return nil, quoted(s, "") + " is not a number of milliseconds above zero"
	}
	return time.Duration(ms) * time.Millisecond, ""
}

// otelCapture reads OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT, which is a boolean or says where
// content may be captured; ours would be on spans.
func otelCapture(s string) (any, string) {
	switch strings.ToLower(s) {
	case "true", "1", "span_only", "span_and_event":
		return true, ""
	case "false", "0", "no_content", "event_only":
		return false, ""
	}
	return nil, quoted(s, "") + " is not understood; understood: true, false, SPAN_ONLY, SPAN_AND_EVENT, EVENT_ONLY, NO_CONTENT"
}

// isSet reports whether a switch of the agent CLI is on.
func isSet(s string) bool {
	return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(strings.TrimSpace(s)))
}
