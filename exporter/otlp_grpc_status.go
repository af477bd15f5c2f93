package exporter

import (
	"context"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// grpcReason classifies a status by the table of the OTLP specification ("Failures" of OTLP/gRPC).
func grpcReason(ctx context.Context, s *status.Status) (Reason, time.Duration) {
	var retryAfter time.Duration
	throttled := false
	for _, d := range s.Details() {
		if info, ok := d.(*errdetails.RetryInfo); ok {
			retryAfter, throttled = info.GetRetryDelay().AsDuration(), true
		}
	}
	switch s.Code() {
	case codes.Unavailable:
		return connectionReason(s.Message()), retryAfter
	case codes.Canceled, codes.DeadlineExceeded:
		if ctx.Err() != nil {
			// Without a connection the message says why there is none.
			if reason := connectionReason(s.Message()); reason != Unavailable {
				return reason, 0
			}
		}
		return TimedOut, retryAfter
	case codes.Aborted, codes.OutOfRange, codes.DataLoss:
		return Unavailable, retryAfter
	case codes.ResourceExhausted:
		switch {
		case throttled:
			return Unavailable, retryAfter
		case strings.Contains(s.Message(), "larger than max"), strings.Contains(strings.ToLower(s.Message()), "too large"):
			return TooLarge, 0
		}
		return BadRequest, 0
	case codes.Unauthenticated, codes.PermissionDenied:
		return Unauthorized, 0
	case codes.Unimplemented, codes.NotFound:
		return WrongService, 0
	case codes.Unknown, codes.Internal:
		if strings.Contains(s.Message(), "unexpected HTTP status code") || strings.Contains(s.Message(), "content-type") {
			return WrongService, 0
		}
	}
	return BadRequest, 0
}

// connectionReason reads why there is no connection from a message: gRPC keeps only the text of the errors of net
// and crypto/tls.
func connectionReason(message string) Reason {
	for _, m := range []struct {
		part   string
		reason Reason
	}{
		{"tls: ", BadTLS},
		{"x509: ", BadTLS},
		{"HTTP/1.1 header", WrongService},
		{"frame too large", WrongService}, // an answer of HTTP/1, or an alert of TLS, read as a frame
		{"connection refused", Refused},
		{"no such host", Unreachable},
		{"name resolver error", Unreachable},
		{"context deadline exceeded", TimedOut},
		{"error reading server preface", Unreachable},
		{"authentication handshake failed", Unreachable},
		{"connection error", Unreachable},
		{"error reading from server", Unreachable},
		{"transport is closing", Unreachable},
	} {
		if strings.Contains(message, m.part) {
			return m.reason
		}
	}
	return Unavailable
}

// grpcText is a status in a few words: the receiver's own after the name of the code, or why there is no connection,
// without what gRPC wraps around it.
func grpcText(s *status.Status) string {
	message := s.Message()
	if strings.HasPrefix(message, "name resolver error: ") {
		return "no address found for the name of the host"
	}
	_, inner, wrapped := strings.Cut(message, "connection error: desc = ")
	if !wrapped {
		return strings.TrimSuffix(s.Code().String()+": "+message, ": ")
	}
	if quoted, err := strconv.QuotedPrefix(inner); err == nil {
		inner, _ = strconv.Unquote(quoted)
	}
	for _, prefix := range []string{"transport: ", "Error while dialing: ", "authentication handshake failed: "} {
		inner = strings.TrimPrefix(inner, prefix)
	}
	if strings.Contains(inner, "frame too large") || strings.Contains(inner, "HTTP/1.1 header") {
		return "no gRPC in plaintext is spoken there: " + inner
	}
	return inner
}
