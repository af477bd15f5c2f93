package doctor_test

import (
	"regexp"
	"strings"
	"testing"

	"cbc-otel/exporter"
	"cbc-otel/internal/otlptest"
)

var padding = regexp.MustCompile(` +#`)

func TestAccepted(t *testing.T) {
	t.Parallel()
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			r := otlptest.New(t, otlptest.Config{})
			got := to(r.URL(protocol), protocol).run(t)
			got.want(t, map[string]string{"URL": shownURL(r, protocol), "ADDR": addr(r, protocol), "PROTOCOL": protocol, "ACCEPTED": accepted(t, r)}, true,
				"ok    exporter: otlp (the endpoint)",
				"{ALL}",
				"ok    endpoint: {URL} over {PROTOCOL} (--endpoint)",
				"ok    connect: {ADDR} takes connections",
				"{ACCEPTED}",
				"{SPOOL}",
				"ok    result: a trace would arrive",
			)
			if n := len(r.Requests()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

// The listing comes first, with where each value is from and without secrets; in no line is a secret.
func TestListing(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	r := otlptest.New(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{Status: 401, Message: "\x1b[31mno\n::error::" + secret})})
	e := to(r.HTTPURL(), exporter.ProtocolHTTP).with("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20"+secret)
	e.yaml = "service_name: x\n"
	got := e.run(t)
	all := strings.Join(append(got.settings, got.findings...), "\n")
	for _, want := range []string{
		"# The configuration in effect. Secrets are masked.\n",
		"  endpoint: " + r.HTTPURL() + " # --endpoint\n",
		"  headers: # OTEL_EXPORTER_OTLP_HEADERS\n    authorization: \"****\"\n",
		"service_name: x # c.yaml:1\n",
		"\nFAIL  test span: the receiver does not accept the headers sent (authorization): 401 Unauthorized: no -> correct OTEL_EXPORTER_OTLP_HEADERS\n",
	} {
		if !strings.Contains(padding.ReplaceAllString(all, " #"), want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if strings.Contains(all, secret) || strings.ContainsAny(all, "\x1b") || strings.Contains(all, "::error::") {
		t.Errorf("not clean:\n%s", all)
	}
}

// What a server says is shown cleaned, masked and cut.
func TestForeignText(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	r := otlptest.New(t, otlptest.Config{Fault: otlptest.Always(otlptest.Answer{
		Status: 403, Message: "\x1b[31m::error::\n" + secret + " \u202e" + strings.Repeat("é", 500),
	})})
	got := to(r.GRPCURL(), exporter.ProtocolGRPC).with("OTEL_EXPORTER_OTLP_HEADERS", "x-api-key="+secret).run(t)
	want := "FAIL  test span: the receiver does not accept the headers sent (x-api-key): PermissionDenied: : :error: : **** "
	line := got.findings[4]
	if !strings.HasPrefix(line, want) || !strings.HasSuffix(line, "é… -> correct OTEL_EXPORTER_OTLP_HEADERS") || len(line) > 500 || got.ok {
		t.Errorf("ok %v, %s", got.ok, line)
	}
}
