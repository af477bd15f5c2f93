package exporter_test

import (
	"net/http"
	"os"
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
		o, path := toFile(t) // each tree is there after it has been given to the other exporter
		o.Exporters = []string{"otlp", "file"}
		o.OTLP = exporter.OTLP{Endpoint: r.URL(protocol), Protocol: protocol, Timeout: hang}
		results := collectResults(&o)
		p := open(t, o)
		trees := numbered(300, 3)
		for _, tr := range trees {
			p.Export(tr)
		}
		if !waitFor(func() bool { content, _ := os.ReadFile(path); return len(lines(content)) == len(trees) }) {
			t.Error("not all trees are built")
		}
		close(release)
		if e := flush(t, p, hang).Exporters[0]; e.Exported != 1500 {
			t.Errorf("report %+v", e)
		}
		arrived(t, r, trees...)
		if n := len(r.Requests()); n > 12 {
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
				most := 2 // what was answered before the flush began has one more chance in it
				if reason == exporter.BadRequest {
					most = 1 // the same batch would come to the same
				}
				if n := len(r.Requests()); n < 1 || n > most || e.Lost[reason] != 3 || e.Reason != reason || report.Lost() != 3 {
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
