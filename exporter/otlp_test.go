package exporter_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/internal/otlptest"
	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

func eachProtocol(t *testing.T, test func(t *testing.T, protocol string)) {
	for _, protocol := range protocols {
		t.Run(strings.TrimSuffix(protocol, "/protobuf"), func(t *testing.T) {
			t.Parallel()
			test(t, protocol)
		})
	}
}

func TestArrives(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		r := otlptest.New(t, otlptest.Config{})
		o, out := toReceiver(t, r.URL(protocol), protocol)
		o.OTLP.Headers = map[string]string{"X-Tenant": "a b"}
		o.OTLP.Compression = "gzip"
		o.ServiceName = "svc"
		trees := []mapping.Tree{tree(1, 3), tree(2, 0)}
		report := run(t, o, hang, trees...)

		arrived(t, r, trees...)
		if e := one(t, report); e.Exported != 7 || report.Trees != 2 || e.Error != "" {
			t.Errorf("report %+v", report.Exporters)
		}
		for _, req := range r.Requests() {
			if req.Protocol != protocol || req.Encoding != "gzip" || req.Header.Get("X-Tenant") != "a b" || !strings.HasPrefix(req.Header.Get("User-Agent"), "cbc-otel/1.2.3") {
				t.Errorf("request %+v", req)
			}
		}
		s := r.Spans()[0]
		if s.Scope != "cbc-otel@1.2.3" || s.Resource["service.name"] != "svc" || s.Resource["telemetry.sdk.language"] != "go" || s.Resource["telemetry.sdk.name"] != "opentelemetry" {
			t.Errorf("scope %s, resource %v", s.Scope, s.Resource)
		}
		if out.String() != "" {
			t.Errorf("printed %q", out)
		}
	})
}

func TestManySpans(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		for name, trees := range map[string][]mapping.Tree{
			"one workflow of 1,000 agents": {tree(1, 1000)},
			"50 workflows":                 numbered(50, 8),
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := otlptest.New(t, otlptest.Config{})
				o, _ := toReceiver(t, r.URL(protocol), protocol)
				report := run(t, o, hang, trees...)
				arrived(t, r, trees...)
				if e := one(t, report); e.Exported != report.Made {
					t.Errorf("report %+v", report.Exporters)
				}
				for _, req := range r.Requests() {
					if n := len(otlptest.Flatten(req.Data)); n > exporter.DefaultMaxSpans || req.Size > exporter.DefaultMaxBytes {
						t.Errorf("a request of %d spans and %d bytes", n, req.Size)
					}
				}
			})
		}
	})
}

func numbered(n, agents int) []mapping.Tree {
	var trees []mapping.Tree
	for i := range n {
		trees = append(trees, tree(i+1, agents))
	}
	return trees
}

// Many small workflows that end at once are a few requests, each whole tree in one.
func TestSmallTreesShareRequests(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		release := make(chan struct{})
		r := otlptest.New(t, otlptest.Config{Fault: func(otlptest.Request) otlptest.Answer { <-release; return otlptest.Answer{} }})
		o, _ := toReceiver(t, r.URL(protocol), protocol)
		results := collectResults(&o)
		p := open(t, o)
		trees := numbered(300, 3)
		for _, tr := range trees[:4] { // one for each sender
			p.Export(tr)
			ctx, cancel := context.WithTimeout(t.Context(), hang)
			defer cancel()
			if !r.WaitRequests(ctx, 1) {
				t.Fatal("no request")
			}
		}
		for _, tr := range trees[4:] {
			p.Export(tr)
		}
		close(release)
		if e := one(t, flush(t, p, hang)); e.Exported != 1500 {
			t.Errorf("report %+v", e)
		}
		arrived(t, r, trees...)
		if n := len(r.Requests()); n > 50 {
			t.Errorf("%d requests", n)
		}
		if got := results(); len(got) != 300 || got["task-299"].Spans != 5 {
			t.Errorf("%d results", len(got))
		}
	})
}

// 10,000 spans to a receiver that takes its time: the batch processor of the SDK keeps a quarter of them.
func TestSlowReceiver(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		r := otlptest.New(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{Delay: 200 * time.Millisecond})})
		o, _ := toReceiver(t, r.URL(protocol), protocol)
		trees := numbered(10, 998)
		report := run(t, o, hang, trees...)
		arrived(t, r, trees...)
		if e := one(t, report); e.Exported != 10_000 {
			t.Errorf("report %+v", report.Exporters)
		}
	})
}

func TestRetries(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			eachProtocol(t, func(t *testing.T, protocol string) {
				answer := otlptest.Answer{Status: status, Message: "busy"}
				if protocol == exporter.ProtocolGRPC && status == http.StatusTooManyRequests {
					answer.RetryAfter = time.Millisecond // else it is no temporary failure there
				}
				r := otlptest.New(t, otlptest.Config{Fault: otlptest.First(2, answer)})
				o, out := toReceiver(t, r.URL(protocol), protocol)
				tr := tree(1, 1)
				report := run(t, o, hang, tr)
				arrived(t, r, tr)
				if e := one(t, report); e.Exported != 3 || len(r.Requests()) != 3 {
					t.Errorf("%d requests, report %+v", len(r.Requests()), report)
				}
				if out.String() != "" {
					t.Errorf("printed %q", out)
				}
			})
		})
	}
}

func TestNoRetry(t *testing.T) {
	t.Parallel()
	for status, reason := range map[int]exporter.Reason{
		http.StatusBadRequest:          exporter.BadRequest,
		http.StatusUnauthorized:        exporter.Unauthorized,
		http.StatusForbidden:           exporter.Unauthorized,
		http.StatusNotFound:            exporter.WrongService,
		http.StatusInternalServerError: exporter.BadRequest,
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			eachProtocol(t, func(t *testing.T, protocol string) {
				r := otlptest.New(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{Status: status, Message: "no\r\nway"})})
				o, out := toReceiver(t, r.URL(protocol), protocol)
				o.Spool.Off = true
				report := run(t, o, hang, tree(1, 1))
				e := one(t, report)
				if len(r.Requests()) != 1 || e.Lost[reason] != 3 || e.Reason != reason || report.Lost() != 3 {
					t.Errorf("%d requests, report %+v", len(r.Requests()), report)
				}
				if strings.Count(out.String(), "\n") != 1 {
					t.Errorf("printed %q, want one line", out)
				}
				contains(t, "stderr", out.String(), "cbc-otel: warning: otlp ", "3 spans lost (", "): ", "no")
			})
		})
	}
}

// What a receiver rejected of a batch it must not be sent again (OTLP specification, "Partial Success"); it is lost,
// and said to be.
func TestPartialSuccess(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		for rejected, want := range map[int64]int{2: 2, 1 << 40: 5, -3: 0} {
			r := otlptest.New(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{Rejected: rejected, Message: "no room"})})
			o, out := toReceiver(t, r.URL(protocol), protocol)
			e := one(t, run(t, o, hang, tree(1, 3)))
			if e.Exported != 5-want || e.Lost[exporter.Rejected] != want || e.Spooled != 0 || len(r.Requests()) != 1 {
				t.Errorf("%d rejected: %+v", rejected, e)
			}
			if want > 0 {
				contains(t, "stderr", out.String(), "no room")
			}
		}
	})
}

// With nothing rejected the message is a remark, for those who want to know.
func TestReceiverRemarks(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		r := otlptest.New(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{Message: "use another path"})})
		o, out := toReceiver(t, r.URL(protocol), protocol)
		o.Log = say.New(out, say.Info)
		if e := one(t, run(t, o, hang, tree(1, 1), tree(2, 1))); e.Exported != 6 || e.Reason != "" {
			t.Errorf("report %+v", e)
		}
		if strings.Count(out.String(), "the receiver remarks: use another path") != 1 {
			t.Errorf("printed %q", out)
		}
	})
}

// A receiver with a small limit gets smaller batches.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		r := otlptest.New(t, otlptest.Config{MaxMessage: 10_000})
		o, _ := toReceiver(t, r.URL(protocol), protocol)
		tr := tree(1, 300)
		e := one(t, run(t, o, hang, tr))
		arrived(t, r, tr)
		if e.Exported != 302 {
			t.Errorf("report %+v", e)
		}
	})
}

// The default limit of receivers is never reached, however much content there is.
func TestFourMiB(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		r := otlptest.New(t, otlptest.Config{})
		o, _ := toReceiver(t, r.URL(protocol), protocol)
		tr := tree(1, 500)
		for i := range tr.Spans {
			tr.Spans[i].Attributes = append(tr.Spans[i].Attributes, mapping.Attribute{Key: mapping.KeyResult, Value: strings.Repeat("é", 8192)})
		}
		report := run(t, o, hang, tr)
		arrived(t, r, tr)
		if len(r.Requests()) < 4 || report.Trimmed != 0 {
			t.Errorf("%d requests, %d trimmed", len(r.Requests()), report.Trimmed)
		}
		for _, req := range r.Requests() {
			if req.Size > exporter.DefaultMaxBytes {
				t.Errorf("a request of %d bytes", req.Size)
			}
		}
	})
}

// A span too large by itself loses content, the largest first, and says so.
func TestTrimmed(t *testing.T) {
	t.Parallel()
	r := otlptest.New(t, otlptest.Config{})
	o, _ := toReceiver(t, r.HTTPURL(), exporter.ProtocolHTTP)
	o.MaxBytes = 8000
	tr := tree(1, 1)
	tr.Spans[2].Attributes = append(tr.Spans[2].Attributes,
		mapping.Attribute{Key: mapping.KeyPrompt, Value: strings.Repeat("p", 2000)},
		mapping.Attribute{Key: mapping.KeyResult, Value: strings.Repeat("r", 9000)},
		mapping.Attribute{Key: mapping.KeyAgentText, Value: "short"})
	tr.Spans[0].Attributes = append(tr.Spans[0].Attributes, mapping.Attribute{Key: "cbc.workflow.phases", Value: slices.Repeat([]string{"a phase"}, 2000)})
	report := run(t, o, hang, tr)
	arrived(t, r, tr)
	if report.Trimmed != 2 {
		t.Errorf("%d trimmed, want 2", report.Trimmed)
	}
	for _, s := range r.Spans() {
		_, prompt := s.Attr(mapping.KeyPrompt)
		_, result := s.Attr(mapping.KeyResult)
		_, text := s.Attr(mapping.KeyAgentText)
		_, id := s.Attr(mapping.KeyTaskID)
		switch {
		case s.Name == "invoke_agent scout-1" && (!prompt || result || !text || s.DroppedAttributesCount != 1):
			t.Errorf("agent: prompt %v, result %v, text %v, dropped %d", prompt, result, text, s.DroppedAttributesCount)
		case s.Name == "invoke_workflow audit" && (!id || s.DroppedAttributesCount != 1):
			t.Errorf("workflow: id %v, dropped %d", id, s.DroppedAttributesCount)
		}
	}
}

// Both protocols over TLS, with the authority and client certificate from the configuration or the environment.
func TestTLS(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, protocol string) {
		ca := otlptest.NewTLS(t, t.TempDir())
		ca.RequireClientCert = true
		r := otlptest.New(t, otlptest.Config{TLS: ca})
		tr := tree(1, 1)
		o, _ := toReceiver(t, r.URL(protocol), protocol)
		o.OTLP.CAFile, o.OTLP.CertFile, o.OTLP.KeyFile = ca.CAFile, ca.CertFile, ca.KeyFile
		run(t, o, hang, tr)
		arrived(t, r, tr)

		o, _ = options(t, "otlp")
		o.Getenv = env{
			"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL(protocol), "OTEL_EXPORTER_OTLP_PROTOCOL": protocol, "OTEL_EXPORTER_OTLP_CERTIFICATE": ca.CAFile,
			"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": ca.CertFile, "OTEL_EXPORTER_OTLP_CLIENT_KEY": ca.KeyFile,
		}.get
		other := tree(2, 1)
		run(t, o, hang, other)
		arrived(t, r, tr, other)
	})
}

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
	}{
		{"refused gRPC", "http://" + otlptest.Refused, exporter.ProtocolGRPC, exporter.Refused},
		{"refused HTTP", "http://" + otlptest.Refused, exporter.ProtocolHTTP, exporter.Refused},
		{"no such host gRPC", "http://no-such-host.invalid:4317", exporter.ProtocolGRPC, exporter.Unreachable},
		{"no such host HTTP", "http://no-such-host.invalid:4318", exporter.ProtocolHTTP, exporter.Unreachable},
		{"gRPC to an HTTP port", plain.HTTPURL(), exporter.ProtocolGRPC, exporter.WrongService},
		{"HTTP to a gRPC port", plain.GRPCURL(), exporter.ProtocolHTTP, exporter.WrongService},
		{"plaintext gRPC to TLS", "http://" + secure.GRPCAddr(), exporter.ProtocolGRPC, exporter.Unreachable}, // it just hangs up
		{"plaintext HTTP to TLS", "http://" + secure.HTTPAddr(), exporter.ProtocolHTTP, exporter.BadTLS},
		{"TLS gRPC to plaintext", "https://" + plain.GRPCAddr(), exporter.ProtocolGRPC, exporter.BadTLS},
		{"TLS HTTP to plaintext", "https://" + plain.HTTPAddr(), exporter.ProtocolHTTP, exporter.BadTLS},
		{"authority not trusted gRPC", secure.GRPCURL(), exporter.ProtocolGRPC, exporter.BadTLS},
		{"authority not trusted HTTP", secure.HTTPURL(), exporter.ProtocolHTTP, exporter.BadTLS},
		{"wrong path", plain.HTTPURL() + "/nothing/here", exporter.ProtocolHTTP, exporter.WrongService},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o, out := toReceiver(t, c.url, c.protocol)
			e := one(t, run(t, o, hang, tree(1, 1)))
			if e.Reason != c.want || e.Spooled != 3 {
				t.Errorf("reason %s, want %s: %s: %s", e.Reason, c.want, e, e.Error)
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
		r := otlptest.New(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{Delay: 20 * time.Millisecond})})
		o, _ := toReceiver(t, r.URL(protocol), protocol)
		p := open(t, o)
		for _, tr := range numbered(20, 98) {
			p.Export(tr)
		}
		ctx, cancel := context.WithTimeout(t.Context(), hang)
		defer cancel()
		if !r.Wait(ctx, 600) {
			t.Fatal("nothing arrives")
		}
		r.Close()
		e := one(t, flush(t, p, 5*time.Second))
		if e.Exported+e.Uncertain < 600 || e.Spooled == 0 || e.LostTotal() != 0 {
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
