package tracectx

import (
	"crypto/sha256"
	"strings"

	"cbc-otel/mapping"
)

// GitHubRun returns the root span of the trace that the collector's githubreceiver makes of the GitHub Actions run
// which the environment names; ok is false outside one. The receiver computes its ids from run id and attempt, so
// that others can join (newTraceID and newParentSpanID there, which is what it does by default).
func GitHubRun(getenv func(string) string) (parent mapping.SpanContext, ok bool) {
	run, attempt := getenv("GITHUB_RUN_ID"), getenv("GITHUB_RUN_ATTEMPT")
	if getenv("GITHUB_ACTIONS") == "" || !digits(run) || !digits(attempt) {
		return mapping.SpanContext{}, false
	}
	trace, span := sha256.Sum256([]byte(run+attempt+"t")), sha256.Sum256([]byte(run+attempt+"s"))
	return mapping.SpanContext{TraceID: mapping.TraceID(trace[:16]), SpanID: mapping.SpanID(span[8:16]), Sampled: true}, true
}

// digits reports whether s is a whole number as %d writes it.
func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == "" && s[0] != '0'
}
