package session

import (
	"encoding/hex"

	"cbc-otel/internal/envlist"
)

// Environ returns the environment of the command: the span as its TRACEPARENT and TRACESTATE (W3C Trace Context,
// version 00), the rest unchanged.
func (s *Session) Environ(env []string) []string {
	c := s.Context()
	flags := "-00"
	if c.Sampled {
		flags = "-01"
	}
	env = envlist.Set(env, "TRACEPARENT", "00-"+hex.EncodeToString(c.TraceID[:])+"-"+hex.EncodeToString(c.SpanID[:])+flags)
	if c.TraceState == "" {
		return envlist.Unset(env, "TRACESTATE") // of another trace
	}
	return envlist.Set(env, "TRACESTATE", c.TraceState)
}
