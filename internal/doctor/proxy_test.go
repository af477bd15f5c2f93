package doctor_test

import (
	"net"
	"os"
	"strings"
	"testing"

	"cbc-otel/exporter"
	"cbc-otel/internal/otlptest"
)

// proxied is the name under which a server of this machine is reached through the proxy of TestMain.
func proxied(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return "p" + port + ".proxied.invalid:" + port
}

func (e examination) withProxy() examination {
	return e.with("HTTP_PROXY", os.Getenv("HTTP_PROXY")).with("HTTPS_PROXY", os.Getenv("HTTPS_PROXY")).with("NO_PROXY", os.Getenv("NO_PROXY"))
}

func TestProxy(t *testing.T) {
	t.Parallel()
	proxy := strings.TrimPrefix(os.Getenv("HTTP_PROXY"), "http://")
	each(t, func(t *testing.T, protocol string) {
		r := otlptest.New(t, otlptest.Config{})
		name := proxied(addr(r, protocol))
		host, _, _ := net.SplitHostPort(name)
		replace := map[string]string{"NAME": name, "HOST": host, "PROXY": proxy, "PROTOCOL": protocol,
			"VARIABLE": map[string]string{exporter.ProtocolHTTP: "HTTP_PROXY", exporter.ProtocolGRPC: "HTTPS_PROXY"}[protocol],
			"PATH":     map[string]string{exporter.ProtocolHTTP: "/v1/traces"}[protocol],
		}
		got := to("http://"+name, protocol).withProxy().run(t)
		replace["ACCEPTED"] = accepted(t, r)
		got.want(t, replace, true,
			viaEndpoint, "{ALL}",
			"ok    endpoint: http://{NAME}{PATH} over {PROTOCOL} (--endpoint)",
			"ok    proxy: {VARIABLE} is in effect: the way to {NAME} is through http://{PROXY} -> add {HOST} to NO_PROXY if it should not be",
			"ok    connect: {PROXY} takes connections",
			"{ACCEPTED}", "{SPOOL}", wouldArrive)

		got = to(r.URL(protocol), protocol).withProxy().run(t)
		replace["ADDR"] = addr(r, protocol)
		if len(r.Spans()) != 2 {
			t.Errorf("%d spans arrived", len(r.Spans()))
		}
		if len(got.findings) < 4 || !got.ok {
			t.Fatalf("%v %q", got.ok, got.findings)
		}
		if lower := to(r.URL(protocol), protocol).with("http_proxy", "http://p:1").with("https_proxy", "http://p:1").run(t).findings[3]; !strings.HasPrefix(lower, "ok    proxy: "+strings.ToLower(replace["VARIABLE"])+" is set but not used") {
			t.Error(lower)
		}
		want := "ok    proxy: " + replace["VARIABLE"] + " is set but not used for 127.0.0.1 (NO_PROXY, or this machine itself)"
		if got.findings[3] != want {
			t.Errorf("got  %s\nwant %s", got.findings[3], want)
		}
	})
}

func TestProxyRefuses(t *testing.T) {
	t.Parallel()
	proxy := strings.TrimPrefix(os.Getenv("HTTP_PROXY"), "http://")
	to("http://unknown.invalid", exporter.ProtocolHTTP).withProxy().run(t).want(t, map[string]string{"PROXY": proxy}, false,
		viaEndpoint, "{ALL}",
		"ok    endpoint: http://unknown.invalid/v1/traces over http/protobuf (--endpoint)",
		"ok    proxy: HTTP_PROXY is in effect: the way to unknown.invalid is through http://{PROXY} -> add unknown.invalid to NO_PROXY if it should not be",
		"ok    connect: {PROXY} takes connections",
		"FAIL  test span: the proxy wants a user and password: 407 Proxy Authentication Required: who are you? -> put them into the proxy variable",
		"{SPOOL}", oneProblem)
	// Nothing listens behind the proxy.
	to("http://p1.proxied.invalid:1", exporter.ProtocolGRPC).withProxy().flag("flush-timeout", "500ms").run(t).want(t, map[string]string{"PROXY": proxy}, false,
		viaEndpoint, "{ALL}",
		"ok    endpoint: http://p1.proxied.invalid:1 over grpc (--endpoint)",
		"ok    proxy: HTTPS_PROXY is in effect: the way to p1.proxied.invalid:1 is through http://{PROXY} -> add p1.proxied.invalid to NO_PROXY if it should not be",
		"ok    connect: {PROXY} takes connections",
		"FAIL  test span: the proxy at {PROXY} does not lead to p1.proxied.invalid:1: 502 Bad Gateway -> look at the proxy, or add p1.proxied.invalid to NO_PROXY",
		"{SPOOL}", oneProblem)
}
