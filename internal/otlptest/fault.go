package otlptest

import (
	"net/http"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
)

// Answer says how to answer a request. The zero value takes it.
type Answer struct {
	// Status refuses the request: an HTTP status, for gRPC the code that goes with it.
	Status     int
	Message    string
	RetryAfter time.Duration // Retry-After header, RetryInfo detail

	// Rejected makes it a partial success: taken but for so many spans.
	Rejected int64

	Delay time.Duration // before the request is taken or refused
	Hang  bool          // no answer before the client or the receiver ends
	Drop  bool          // the spans are taken, then the connection is closed without an answer
}

// Fault decides about each request. It is called by several goroutines.
type Fault func(Request) Answer

// Always answers every request with a.
func Always(a Answer) Fault { return func(Request) Answer { return a } }

// First answers the first n requests it sees with a and takes the others.
func First(n int, a Answer) Fault {
	var seen atomic.Int64
	return func(Request) Answer {
		if seen.Add(1) <= int64(n) {
			return a
		}
		return Answer{}
	}
}

// Every answers every nth request it sees with a and takes the others.
func Every(n int, a Answer) Fault {
	var seen atomic.Int64
	return func(Request) Answer {
		if seen.Add(1)%int64(n) == 0 {
			return a
		}
		return Answer{}
	}
}

// code is the gRPC code a collector gives where an HTTP one gives the status.
func code(status int) codes.Code {
	switch status {
	case http.StatusBadRequest:
		return codes.InvalidArgument
	case http.StatusUnauthorized:
		return codes.Unauthenticated
	case http.StatusForbidden:
		return codes.PermissionDenied
	case http.StatusNotFound:
		return codes.Unimplemented
	case http.StatusRequestEntityTooLarge, http.StatusTooManyRequests:
		return codes.ResourceExhausted
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return codes.Unavailable
	}
	return codes.Internal
}
