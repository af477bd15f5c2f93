package exporter_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/internal/otlptest"
	"cbc-otel/internal/say"
)

// Whatever is wrong with the far end: the reason is found, nothing is tried again that cannot work, and the spans are
// in the spool. A minute's budget is never waited for where the answer cannot change.
func TestWrongEnds(t *testing.T) {
	t.Parallel()
	plain := otlptest.New(t, otlptest.Config{})
	ca := otlptest.NewTLS(t, t.TempDir())
	secure := otlptest.New(t, otlptest.Config{TLS: ca})
	for _, c := range []struct {
		name, url, protocol string
		want                exporter.Reason
		text                string // in the error
	}{
		{"refused gRPC", "http://" + otlptest.Refused, exporter.ProtocolGRPC, exporter.Refused, "connection refused"},
		{"refused HTTP", "http://" + otlptest.Refused, exporter.ProtocolHTTP, exporter.Refused, "connection refused"},
		{"no such host gRPC", "http://no-such-host.invalid:4317", exporter.ProtocolGRPC, exporter.Unreachable, "no address found"},
		{"no such host HTTP", "http://no-such-host.invalid:4318", exporter.ProtocolHTTP, exporter.Unreachable, "no such host"},
		{"gRPC to an HTTP port", plain.HTTPURL(), exporter.ProtocolGRPC, exporter.WrongService, ": http2: "},
		{"HTTP to a gRPC port", plain.GRPCURL(), exporter.ProtocolHTTP, exporter.WrongService, ""},
		{"plaintext gRPC to TLS", "http://" + secure.GRPCAddr(), exporter.ProtocolGRPC, exporter.Unreachable, ""}, // it just hangs up
		{"plaintext HTTP to TLS", "http://" + secure.HTTPAddr(), exporter.ProtocolHTTP, exporter.BadTLS, ""},
		{"TLS gRPC to plaintext", "https://" + plain.GRPCAddr(), exporter.ProtocolGRPC, exporter.BadTLS, "first record does not look like a TLS handshake"},
		{"TLS HTTP to plaintext", "https://" + plain.HTTPAddr(), exporter.ProtocolHTTP, exporter.BadTLS, "first record does not look like a TLS handshake"},
		{"authority not trusted gRPC", secure.GRPCURL(), exporter.ProtocolGRPC, exporter.BadTLS, "certificate"},
		{"authority not trusted HTTP", secure.HTTPURL(), exporter.ProtocolHTTP, exporter.BadTLS, "certificate"},
		{"wrong path", plain.HTTPURL() + "/nothing/here", exporter.ProtocolHTTP, exporter.WrongService, "404 Not Found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o, out := toReceiver(t, c.url, c.protocol)
			e := one(t, run(t, o, hang, tree(1, 1)))
			if e.Reason != c.want || e.Spooled != 3 {
				t.Errorf("reason %s, want %s: %s: %s", e.Reason, c.want, e, e.Error)
			}
			if !strings.Contains(e.Error, c.text) || strings.Contains(e.Error, "desc = ") || strings.Contains(e.Error, "transport: ") {
				t.Errorf("error %q, want %q and nothing of gRPC's", e.Error, c.text)
			}
			if lines := strings.Count(out.String(), "\n"); lines != 1 {
				t.Errorf("%d lines printed, want 1: %s", lines, out)
			}
			contains(t, "stderr", out.String(), "3 spans kept for later: ")
		})
	}
}

func TestBlackHole(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		o, _ := toReceiver(t, "http://"+otlptest.BlackHole(t), protocol)
		e := one(t, run(t, o, 500*time.Millisecond, tree(1, 1000)))
		if e.Spooled != 1002 || e.Reason != exporter.TimedOut && e.Reason != exporter.OutOfTime {
			t.Errorf("report %+v", e)
		}
	})
}

// The end of a flush, or of the patience of whoever runs it, ends a back-off.
func TestCutInBackoff(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		r := otlptest.New(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{Status: http.StatusServiceUnavailable})})
		o, _ := toReceiver(t, r.URL(protocol), protocol)
		p := open(t, o)
		p.Export(tree(1, 1))
		ctx, cancel := context.WithTimeout(t.Context(), 10*hang)
		defer cancel()
		if !r.WaitRequests(ctx, 2) {
			t.Fatal("no second try")
		}
		cancel()
		start := time.Now()
		report := p.Flush(ctx)
		if took := time.Since(start); took > hang {
			t.Errorf("took %v", took)
		}
		if err := report.Check(); err != nil {
			t.Error(err)
		}
		if e := one(t, report); e.Spooled != 3 {
			t.Errorf("report %+v", e)
		}
	})
}

// A receiver that dies in mid-flush, having taken a part.
func TestDeathInMidFlush(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		r := otlptest.New(t, otlptest.Config{Fault: func(req otlptest.Request) otlptest.Answer {
			return otlptest.Answer{Hang: req.Number > 3} // what is in flight at its death has no answer
		}})
		o, _ := toReceiver(t, r.URL(protocol), protocol)
		p := open(t, o)
		for _, tr := range numbered(20, 98) {
			p.Export(tr)
		}
		if !waitFor(func() bool { return len(r.Requests()) > 3 }) {
			t.Fatal("nothing arrives")
		}
		r.Close()
		e := one(t, flush(t, p, 5*time.Second))
		if e.Exported+e.Uncertain < 300 || e.Spooled == 0 || e.LostTotal() != 0 {
			t.Errorf("report %+v", e)
		}
	})
}

// Retry-After is obeyed, and not waited for when it is longer than there is time.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		r := otlptest.New(t, otlptest.Config{Fault: otlptest.First(1, otlptest.Answer{Status: http.StatusServiceUnavailable, RetryAfter: time.Second})})
		o, _ := toReceiver(t, r.URL(protocol), protocol)
		tr := tree(1, 1)
		run(t, o, hang, tr)
		arrived(t, r, tr)
		if reqs := r.Requests(); len(reqs) != 2 || reqs[1].At.Sub(reqs[0].At) < time.Second {
			t.Errorf("%d requests", len(reqs))
		}

		r.SetFault(otlptest.Always(otlptest.Answer{Status: http.StatusServiceUnavailable, RetryAfter: time.Hour}))
		o, _ = toReceiver(t, r.URL(protocol), protocol)
		if e := one(t, run(t, o, 10*hang, tr)); e.Spooled != 3 || len(r.Requests()) != 3 {
			t.Errorf("%d requests, report %+v", len(r.Requests()), e)
		}
	})
}

// A redirect would take the headers, with keys in them, somewhere else.
func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := otlptest.New(t, otlptest.Config{})
	server := redirect(t, elsewhere.HTTPURL()+otlptest.TracesPath)
	o, out := toReceiver(t, server, exporter.ProtocolHTTP)
	o.OTLP.Headers = map[string]string{"x-api-key": "secret"}
	e := one(t, run(t, o, hang, tree(1, 1)))
	if e.Reason != exporter.WrongService || e.Spooled != 3 || len(elsewhere.Requests()) != 0 {
		t.Errorf("%d requests elsewhere, report %+v", len(elsewhere.Requests()), e)
	}
	contains(t, "stderr", out.String(), "redirected to "+elsewhere.HTTPURL())
}

// Some servers answer everything with their page.
func TestWebPage(t *testing.T) {
	t.Parallel()
	o, out := toReceiver(t, webPage(t), exporter.ProtocolHTTP)
	if e := one(t, run(t, o, hang, tree(1, 1))); e.Reason != exporter.WrongService || e.Spooled != 3 {
		t.Errorf("report %+v", e)
	}
	contains(t, "stderr", out.String(), "200 OK, but with a web page")
}

// What the environment holds for the SDK must neither get in the way nor be printed. Not parallel: the SDK reads the
// real environment.
func TestRealEnvironment(t *testing.T) {
	ca := otlptest.NewTLS(t, t.TempDir())
	for key, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_CERTIFICATE": ca.CAFile, "OTEL_EXPORTER_OTLP_HEADERS": "canary", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "a=canary%",
		"OTEL_EXPORTER_OTLP_ENDPOINT": "canary:canary@://", "OTEL_EXPORTER_OTLP_TIMEOUT": "canary", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
		"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip", "OTEL_TRACES_SAMPLER": "always_off", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "1", "OTEL_RESOURCE_ATTRIBUTES": "canary=1",
	} {
		t.Setenv(key, value)
	}
	for _, protocol := range protocols {
		r := otlptest.New(t, otlptest.Config{})
		o, out := toReceiver(t, r.URL(protocol), protocol)
		o.Log = say.New(out, say.Debug)
		tr := tree(1, 1)
		run(t, o, hang, tr)
		arrived(t, r, tr)
		for _, req := range r.Requests() {
			if req.Protocol != protocol || req.Encoding != "" {
				t.Errorf("%s %s", req.Protocol, req.Encoding)
			}
		}
		if s := r.Spans()[0]; len(s.Attributes) != 5 || s.Resource["canary"] != "" {
			t.Errorf("%v %v", s.Resource, s.Span)
		}
		if strings.Contains(out.String(), "canary") {
			t.Errorf("printed %s", out)
		}
	}
}
