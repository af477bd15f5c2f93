package exporter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"

	"cbc-otel/internal/say"
)

// otlp sends batches to an OTLP receiver. The SDK's clients make the requests; what became of one is seen at the
// transport below them (see attemptOf), as their errors keep too little of it: not the status, not how many spans were
// rejected, not whether a request went out at all. Retries are made here, the same way for both protocols.
type otlp struct {
	target          Target
	client          otlptrace.Client
	release         func()
	noConnectionFor time.Duration // see retry
	log             *say.Logger
}

func checkOTLP(o *Options, s *settings) error {
	target, warnings, err := o.OTLP.Resolve(o.Getenv)
	s.target, s.warnings = target, append(s.warnings, warnings...)
	return err
}

func openOTLP(o *Options, s settings) (Exporter, error) {
	e := &otlp{target: s.target, log: o.Log}
	if s.spool != nil {
		e.noConnectionFor = noConnectionFor
	}
	userAgent := ScopeName + "/" + o.Version
	var err error
	if s.target.Protocol == ProtocolGRPC {
		e.client, e.release, err = newGRPCClient(s.target, userAgent)
	} else {
		e.client, e.release, err = newHTTPClient(s.target, userAgent)
	}
	if err != nil {
		return nil, err
	}
	if err := e.client.Start(context.Background()); err != nil {
		e.release()
		return nil, err
	}
	return e, nil
}

// Export sends a batch, within the timeout and ctx. One that is too large for the receiver is sent in halves.
func (e *otlp) Export(ctx context.Context, b *Batch) Outcome {
	ctx, cancel := context.WithTimeout(ctx, e.target.Timeout)
	defer cancel()
	out := e.export(ctx, b)
	if mutantShutdownResult {
		return accepted(b) // Shutdown is nil whatever became of the spans
	}
	return out
}

func (e *otlp) export(ctx context.Context, b *Batch) Outcome {
	a := retry(ctx, e.noConnectionFor, func(ctx context.Context) attempt { return e.try(ctx, b) })
	uncertain := a.uncertain * b.Spans
	switch {
	case a.reason == "":
		rejected := min(max(a.rejected, 0), int64(b.Spans))
		out := Outcome{Accepted: b.Spans - int(rejected), Uncertain: uncertain}
		if rejected > 0 {
			out.lose(Rejected, int(rejected))
			out.Reason, out.Err = Rejected, fmt.Errorf("%d of %d spans rejected: %s", rejected, b.Spans, orElse(a.message, "no reason given"))
		} else if a.message != "" {
			e.log.Once("remark "+a.message, say.Info, "otlp %s: the receiver remarks: %s", e.target.Endpoint(), a.message)
		}
		return out
	case a.reason == TooLarge && b.Spans > 1:
		halves := b.halves()
		return e.export(ctx, halves[0]).and(e.export(ctx, halves[1]))
	}
	out := failed(b, a.reason, a.err)
	out.Uncertain = uncertain
	return out
}

// try makes one request.
func (e *otlp) try(ctx context.Context, b *Batch) attempt {
	var a attempt
	err := e.client.UploadTraces(context.WithValue(ctx, attemptKey{}, &a), b.Data.GetResourceSpans())
	if a.reason == "" && a.err == nil && err != nil && !a.answered {
		// It never came to a request.
		a.reason, a.err = BadRequest, err
		if ctx.Err() != nil {
			a.reason = TimedOut
		}
	}
	if mutantPartialIgnored {
		a.rejected = 0
	}
	return a
}

// Close ends the client and its connections.
func (e *otlp) Close(ctx context.Context) error {
	err := e.client.Stop(ctx)
	e.release()
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return nil // what was in flight has its own outcome
	}
	return err
}

// attemptKey is the context key under which the transport finds the attempt it is to fill in.
type attemptKey struct{}

func attemptOf(ctx context.Context) *attempt {
	if a, ok := ctx.Value(attemptKey{}).(*attempt); ok {
		return a
	}
	return new(attempt)
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
