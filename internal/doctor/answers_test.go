package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/internal/otlptest"
)

// What receivers answer that do speak the protocol.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		answer  otlptest.Answer
		headers string
		want    map[string]string // by protocol
	}{
		{"401 without a key", otlptest.Answer{Status: 401, Message: "no key"}, "", map[string]string{
			exporter.ProtocolHTTP: "FAIL  test span: the receiver wants a key and no headers are sent: 401 Unauthorized: no key -> put the key into otlp.headers or OTEL_EXPORTER_OTLP_HEADERS",
			exporter.ProtocolGRPC: "FAIL  test span: the receiver wants a key and no headers are sent: Unauthenticated: no key -> put the key into otlp.headers or OTEL_EXPORTER_OTLP_HEADERS",
		}},
		{"403 with a key", otlptest.Answer{Status: 403, Message: "not you"}, "x-team=hunter2hunter2,x-api-key=hunter3hunter3", map[string]string{
			exporter.ProtocolHTTP: "FAIL  test span: the receiver does not accept the headers sent (x-team, x-api-key): 403 Forbidden: not you -> correct OTEL_EXPORTER_OTLP_TRACES_HEADERS",
			exporter.ProtocolGRPC: "FAIL  test span: the receiver does not accept the headers sent (x-team, x-api-key): PermissionDenied: not you -> correct OTEL_EXPORTER_OTLP_TRACES_HEADERS",
		}},
		{"400", otlptest.Answer{Status: 400, Message: "bad span"}, "", map[string]string{
			exporter.ProtocolHTTP: "FAIL  test span: not accepted (refused by receiver): 400 Bad Request: bad span -> look at what the receiver says about it",
			exporter.ProtocolGRPC: "FAIL  test span: not accepted (refused by receiver): InvalidArgument: bad span -> look at what the receiver says about it",
		}},
		{"503", otlptest.Answer{Status: 503, Message: "busy", RetryAfter: time.Hour}, "", map[string]string{
			exporter.ProtocolHTTP: "FAIL  test span: the receiver cannot take it now: 503 Service Unavailable: busy -> look at the receiver; runs keep their spans for later meanwhile",
			exporter.ProtocolGRPC: "FAIL  test span: the receiver cannot take it now: Unavailable: busy -> look at the receiver; runs keep their spans for later meanwhile",
		}},
		{"rejected", otlptest.Answer{Rejected: 1, Message: "quota"}, "", map[string]string{
			exporter.ProtocolHTTP: "FAIL  test span: the receiver answered well but did not keep it: 1 of 1 spans rejected: quota -> look at what the receiver says about its limits",
			exporter.ProtocolGRPC: "FAIL  test span: the receiver answered well but did not keep it: 1 of 1 spans rejected: quota -> look at what the receiver says about its limits",
		}},
	} {
		for _, protocol := range protocols {
			t.Run(c.name+" "+protocol, func(t *testing.T) {
				t.Parallel()
				r := otlptest.New(t, otlptest.Config{Fault: otlptest.Always(c.answer)})
				e := to(r.URL(protocol), protocol).with("OTEL_EXPORTER_OTLP_TRACES_HEADERS", c.headers)
				e.run(t).want(t, map[string]string{"URL": shownURL(r, protocol), "ADDR": addr(r, protocol), "PROTOCOL": protocol}, false,
					viaEndpoint, "{ALL}",
					"ok    endpoint: {URL} over {PROTOCOL} (--endpoint)",
					"ok    connect: {ADDR} takes connections",
					c.want[protocol],
					"{SPOOL}", oneProblem)
				// Looking around shows nobody a key.
				for _, req := range r.Requests()[1:] {
					if req.Header.Get("x-api-key") != "" || len(otlptest.Flatten(req.Data)) > 0 {
						t.Errorf("request %d has headers or spans", req.Number)
					}
				}
			})
		}
	}
}

// Servers that are no receivers at all.
func TestOtherServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		handler http.Handler
		want    string
	}{
		{"redirect", http.RedirectHandler("https://login.invalid/", http.StatusFound),
			"FAIL  test span: http://{ADDR}/v1/traces takes no traces: 302 Found: redirected to https://login.invalid/ -> look up the endpoint of the receiver and correct --endpoint"},
		{"not for POST", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "read only", http.StatusMethodNotAllowed) }),
			"FAIL  test span: http://{ADDR}/v1/traces takes no traces: 405 Method Not Allowed: read only -> look up the endpoint of the receiver and correct --endpoint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.handler)
			t.Cleanup(server.Close)
			to(server.URL, exporter.ProtocolHTTP).run(t).want(t, map[string]string{"ADDR": server.Listener.Addr().String()}, false,
				viaEndpoint, "{ALL}",
				"ok    endpoint: http://{ADDR}/v1/traces over http/protobuf (--endpoint)",
				"ok    connect: {ADDR} takes connections",
				c.want, "{SPOOL}", oneProblem)
		})
	}
}
