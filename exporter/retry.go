package exporter

import (
	"context"
	"math/rand/v2"
	"time"
)

// Back-off between attempts: the first is short enough to matter within a flush of a few seconds.
const (
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 5 * time.Second
	// noConnectionFor is how long it is tried again to connect when the spans are safe in a spool otherwise: long
	// enough for a collector that is being restarted, short for one that is not there.
	noConnectionFor = time.Second
)

// attempt is what one request to the receiver came to.
type attempt struct {
	reason     Reason // "": taken
	err        error
	rejected   int64         // partial success
	message    string        // of the receiver, about a partial success
	retryAfter time.Duration // asked for by the receiver; 0: nothing
	answered   bool          // the transport has filled this in
	uncertain  int           // how many requests went out without an answer coming back
}

// retry calls try until it succeeds, fails for good, or ctx ends. It does not start a wait that ctx would cut short.
func retry(ctx context.Context, noConnectionFor time.Duration, try func(context.Context) attempt) attempt {
	start := time.Now()
	limit, limited := ctx.Value(retryLimitKey{}).(time.Duration)
	uncertain := 0
	for backoff := firstBackoff; ; backoff = min(2*backoff, maxBackoff) {
		a := try(ctx)
		uncertain += a.uncertain
		a.uncertain = uncertain
		if a.reason == "" || !a.reason.temporary() && !mutantRetryAll || ctx.Err() != nil {
			return a
		}
		tried := time.Since(start)
		noConnection := a.reason == Refused || a.reason == Unreachable
		if noConnection && noConnectionFor > 0 && tried >= noConnectionFor || limited && tried >= limit {
			return a
		}
		// Half of the wait is left to chance, so that many wrappers do not come back at the same moment.
		wait := max(a.retryAfter, backoff/2+rand.N(backoff/2+1))
		if left, known := timeLeft(ctx); known && left < wait {
			return a
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return a
		}
	}
}

type retryLimitKey struct{}

// withRetryLimit makes retries under ctx start no later than so long after the first attempt.
func withRetryLimit(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, retryLimitKey{}, limit)
}
