package doctor_test

import (
	"net"
	"testing"

	"cbc-otel/exporter"
	"cbc-otel/internal/otlptest"
)

const (
	viaEndpoint  = "ok    exporter: otlp (the endpoint)"
	oneProblem   = "FAIL  result: no trace would arrive: 1 problem"
	twoProblems  = "FAIL  result: no trace would arrive: 2 problems"
	wouldArrive  = "ok    result: a trace would arrive"
	withAWarning = "ok    result: a trace would arrive; 1 warning"
)

// The right receiver on the wrong port, or the wrong protocol for it.
func TestWrongProtocol(t *testing.T) {
	t.Parallel()
	r := otlptest.New(t, otlptest.Config{})
	replace := map[string]string{"GRPC": r.GRPCAddr(), "HTTP": r.HTTPAddr()}
	for _, c := range []struct {
		name string
		e    examination
		want []string
	}{
		{"HTTP to gRPC", to(r.GRPCURL(), exporter.ProtocolHTTP), []string{
			viaEndpoint, "{ALL}",
			"ok    endpoint: http://{GRPC}/v1/traces over http/protobuf (--endpoint)",
			"ok    connect: {GRPC} takes connections",
			"FAIL  test span: the server at {GRPC} speaks gRPC, not HTTP -> set --protocol to grpc, or use the receiver's port for HTTP, usually 4318",
			"{SPOOL}", oneProblem,
		}},
		{"HTTP to gRPC, by variables", examination{env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.GRPCURL()}}, []string{
			viaEndpoint, "{ALL}",
			"ok    endpoint: http://{GRPC}/v1/traces over http/protobuf (OTEL_EXPORTER_OTLP_ENDPOINT)",
			"ok    connect: {GRPC} takes connections",
			"FAIL  test span: the server at {GRPC} speaks gRPC, not HTTP -> set --protocol to grpc, or use the receiver's port for HTTP, usually 4318",
			"{SPOOL}", oneProblem,
		}},
		{"gRPC to HTTP", examination{yaml: "otlp:\n  endpoint: " + r.HTTPURL() + "\n  protocol: grpc\n"}, []string{
			viaEndpoint, "{ALL}",
			"ok    endpoint: http://{HTTP} over grpc (c.yaml:2)",
			"ok    connect: {HTTP} takes connections",
			"FAIL  test span: the server at {HTTP} speaks HTTP, not gRPC -> set otlp.protocol in c.yaml:3 to http/protobuf, or use the receiver's port for gRPC, usually 4317",
			"{SPOOL}", oneProblem,
		}},
		{"gRPC to a path", to(r.HTTPURL()+"/v1/traces", exporter.ProtocolGRPC), []string{
			"warn  configuration: --endpoint: has a path, which is not used with grpc; did you mean the protocol http/protobuf?",
			viaEndpoint, "{ALL}",
			"ok    endpoint: http://{HTTP} over grpc (--endpoint)",
			"ok    connect: {HTTP} takes connections",
			"FAIL  test span: the server at {HTTP} speaks HTTP, not gRPC -> set --protocol to http/protobuf, or use the receiver's port for gRPC, usually 4317",
			"{SPOOL}", oneProblem,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.e.run(t).want(t, replace, false, c.want...)
		})
	}
	t.Cleanup(func() {
		if spans := r.Spans(); len(spans) > 0 {
			t.Errorf("%d spans arrived by the wrong protocol", len(spans))
		}
	})
}

// The usual ports tell the protocol, and are a hint where somebody says otherwise.
func TestUsualPorts(t *testing.T) {
	t.Parallel()
	r := usualPort(t, "127.67.0.1")
	t.Run("HTTP to 4317", func(t *testing.T) {
		to("http://127.67.0.1:4317", exporter.ProtocolHTTP).run(t).want(t, nil, false,
			"warn  configuration: --endpoint: http/protobuf to port 4317, which is usually that of grpc",
			viaEndpoint, "{ALL}",
			"ok    endpoint: http://127.67.0.1:4317/v1/traces over http/protobuf (--endpoint)",
			"ok    connect: 127.67.0.1:4317 takes connections",
			"FAIL  test span: the server at 127.67.0.1:4317 speaks gRPC, not HTTP -> set --protocol to grpc, or use the receiver's port for HTTP, usually 4318",
			"{SPOOL}", oneProblem)
	})
	t.Run("gRPC to 4318", func(t *testing.T) {
		to("http://127.67.0.1:4318", exporter.ProtocolGRPC).run(t).want(t, nil, false,
			viaEndpoint, "{ALL}",
			"ok    endpoint: http://127.67.0.1:4318 over grpc (--endpoint)",
			"warn  endpoint: 4318 is usually a port of http/protobuf, the protocol is grpc -> set --protocol to http/protobuf if it is",
			"ok    connect: 127.67.0.1:4318 takes connections",
			"FAIL  test span: the server at 127.67.0.1:4318 speaks HTTP, not gRPC -> set --protocol to http/protobuf, or use the receiver's port for gRPC, usually 4317",
			"{SPOOL}", oneProblem)
	})
	t.Run("a traces URL on 4317", func(t *testing.T) {
		got := examination{flags: map[string]string{"endpoint": "http://127.67.0.1:4317/v1/traces"}}.run(t)
		got.want(t, map[string]string{"ACCEPTED": accepted(t, r)}, true,
			"warn  configuration: --endpoint: has a path, which is not used with grpc; did you mean the protocol http/protobuf?",
			viaEndpoint, "{ALL}",
			"ok    endpoint: http://127.67.0.1:4317 over grpc (--endpoint)",
			"ok    connect: 127.67.0.1:4317 takes connections",
			"{ACCEPTED}", "{SPOOL}", withAWarning)
	})
}

func TestWrongPath(t *testing.T) {
	t.Parallel()
	r := otlptest.New(t, otlptest.Config{})
	prefixed := otlptest.New(t, otlptest.Config{Path: "/api/otel/v1/traces"})
	replace := map[string]string{"HTTP": r.HTTPAddr(), "PREFIXED": prefixed.HTTPAddr()}
	for _, c := range []struct {
		name string
		e    examination
		want []string
	}{
		{"doubled", to(r.HTTPURL()+"/v1/traces/v1/traces", exporter.ProtocolHTTP), []string{
			viaEndpoint, "{ALL}",
			"ok    endpoint: http://{HTTP}/v1/traces/v1/traces over http/protobuf (--endpoint)",
			"ok    connect: {HTTP} takes connections",
			"FAIL  test span: /v1/traces/v1/traces takes no traces (404 Not Found: 404 page not found), but /v1/traces does -> set --endpoint to http://{HTTP}",
			"{SPOOL}", oneProblem,
		}},
		{"doubled below a prefix", examination{env: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": prefixed.HTTPURL() + "/api/otel/v1/traces/v1/traces"}}, []string{
			viaEndpoint, "{ALL}",
			"ok    endpoint: http://{PREFIXED}/api/otel/v1/traces/v1/traces over http/protobuf (OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)",
			"ok    connect: {PREFIXED} takes connections",
			"FAIL  test span: /api/otel/v1/traces/v1/traces takes no traces (404 Not Found: 404 page not found), but /api/otel/v1/traces does -> set OTEL_EXPORTER_OTLP_TRACES_ENDPOINT to http://{PREFIXED}/api/otel/v1/traces",
			"{SPOOL}", oneProblem,
		}},
		{"no path for a variable that has one", examination{env: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": r.HTTPURL()}}, []string{
			"warn  configuration: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: has no path and is used as it is; did you mean http://{HTTP}/v1/traces?",
			viaEndpoint, "{ALL}",
			"ok    endpoint: http://{HTTP}/ over http/protobuf (OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)",
			"ok    connect: {HTTP} takes connections",
			"FAIL  test span: / takes no traces (404 Not Found: 404 page not found), but /v1/traces does -> set OTEL_EXPORTER_OTLP_TRACES_ENDPOINT to http://{HTTP}/v1/traces",
			"{SPOOL}", oneProblem,
		}},
		{"a prefix too much", to(r.HTTPURL()+"/otlp", exporter.ProtocolHTTP), []string{
			viaEndpoint, "{ALL}",
			"ok    endpoint: http://{HTTP}/otlp/v1/traces over http/protobuf (--endpoint)",
			"ok    connect: {HTTP} takes connections",
			"FAIL  test span: /otlp/v1/traces takes no traces (404 Not Found: 404 page not found), but /v1/traces does -> set --endpoint to http://{HTTP}",
			"{SPOOL}", oneProblem,
		}},
		{"a prefix missing", to(prefixed.HTTPURL(), exporter.ProtocolHTTP), []string{
			viaEndpoint, "{ALL}",
			"ok    endpoint: http://{PREFIXED}/v1/traces over http/protobuf (--endpoint)",
			"ok    connect: {PREFIXED} takes connections",
			"FAIL  test span: http://{PREFIXED}/v1/traces takes no traces: 404 Not Found: 404 page not found -> look up the endpoint of the receiver and correct --endpoint",
			"{SPOOL}", oneProblem,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.e.run(t).want(t, replace, false, c.want...)
		})
	}
}

// A path too many in the general variable is taken as it was meant, one for traces alone as it is.
func TestPathOfVariables(t *testing.T) {
	t.Parallel()
	r := otlptest.New(t, otlptest.Config{})
	got := examination{env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.HTTPURL() + "/v1/traces"}}.run(t)
	got.want(t, map[string]string{"HTTP": r.HTTPAddr(), "ACCEPTED": accepted(t, r)}, true,
		"warn  configuration: OTEL_EXPORTER_OTLP_ENDPOINT: ends in /v1/traces, which others add to this variable; it is used as it is; did you mean http://{HTTP}?",
		viaEndpoint, "{ALL}",
		"ok    endpoint: http://{HTTP}/v1/traces over http/protobuf (OTEL_EXPORTER_OTLP_ENDPOINT)",
		"ok    connect: {HTTP} takes connections",
		"{ACCEPTED}", "{SPOOL}", withAWarning)

	r = otlptest.New(t, otlptest.Config{Path: "/custom/"})
	got = examination{env: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": r.HTTPURL() + "/custom/"}}.run(t)
	got.want(t, map[string]string{"HTTP": r.HTTPAddr(), "ACCEPTED": accepted(t, r)}, true,
		viaEndpoint, "{ALL}",
		"ok    endpoint: http://{HTTP}/custom/ over http/protobuf (OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)",
		"ok    connect: {HTTP} takes connections",
		"{ACCEPTED}", "{SPOOL}", wouldArrive)
}

// What is wrong with the settings themselves: all of it is told, nothing is sent.
func TestConfigurationErrors(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	for _, c := range []struct {
		name string
		e    examination
		want []string
	}{
		{"no scheme", examination{flags: map[string]string{"endpoint": "localhost:4318"}}, []string{
			"FAIL  configuration: --endpoint: \"localhost:4318\" has no scheme, did you mean http://localhost:4318? -> allowed: a URL with scheme and host, such as http://localhost:4318 or https://otlp.example.com",
			oneProblem,
		}},
		{"malformed header pair", to("http://localhost:4318", "grpc").with("OTEL_EXPORTER_OTLP_HEADERS", "a=b,"+secret), []string{
			"FAIL  configuration: OTEL_EXPORTER_OTLP_HEADERS: pair 2 has no = -> allowed: name=value pairs with commas between them, values percent-encoded where needed",
			oneProblem,
		}},
		{"two at once", examination{yaml: "grase: 1s\nexporter: [zipkin]\n"}, []string{
			"FAIL  configuration: c.yaml:1:1: grase: unknown key, did you mean grace? -> correct it",
			"FAIL  configuration: c.yaml:2:12: exporter[0]: \"zipkin\" is not allowed -> allowed: otlp, file, console or none",
			twoProblems,
		}},
		{"no such CA file", to("https://localhost:4318", "grpc").with("OTEL_EXPORTER_OTLP_CERTIFICATE", "/no/such.pem"), []string{
			"FAIL  configuration: OTEL_EXPORTER_OTLP_CERTIFICATE: \"/no/such.pem\": file does not exist -> correct it",
			oneProblem,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.e.run(t).want(t, nil, false, c.want...)
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			path := map[string]string{exporter.ProtocolHTTP: "/v1/traces"}[protocol]
			replace := map[string]string{"PATH": path, "PROTOCOL": protocol, "HOLE": otlptest.BlackHole(t)}
			to("http://"+otlptest.Refused, protocol).run(t).want(t, replace, false,
				viaEndpoint, "{ALL}",
				"ok    endpoint: http://127.0.0.1:1{PATH} over {PROTOCOL} (--endpoint)",
				"FAIL  connect: nothing listens on 127.0.0.1:1 (connection refused) -> start the receiver, or correct --endpoint",
				"{SPOOL}", oneProblem)
			to("http://no-such-host.invalid:4000", protocol).run(t).want(t, replace, false,
				viaEndpoint, "{ALL}",
				"ok    endpoint: http://no-such-host.invalid:4000{PATH} over {PROTOCOL} (--endpoint)",
				"FAIL  name: there is no host no-such-host.invalid -> correct --endpoint, or the name servers of this machine",
				"{SPOOL}", oneProblem)
			to("http://"+replace["HOLE"], protocol).flag("flush-timeout", "500ms").run(t).want(t, replace, false,
				viaEndpoint, "{ALL}",
				"ok    endpoint: http://{HOLE}{PATH} over {PROTOCOL} (--endpoint)",
				"ok    connect: {HOLE} takes connections",
				"FAIL  test span: no answer from {HOLE} within 500ms -> look at the receiver, or raise --flush-timeout if it is slow",
				"{SPOOL}", oneProblem)
		})
	}
}

// An examination that is cut short ends, and does not call well what it has not seen.
func TestCutShort(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ endpoint, want string }{
		{"http://127.0.0.1:1", "FAIL  connect: no answer from 127.0.0.1:1 within 1m0s -> look for a firewall in between, or correct --endpoint"},
		{"http://no-such-host.invalid:1", "FAIL  name: no answer about no-such-host.invalid from DNS within 1m0s -> look at the name servers of this machine, or correct --endpoint"},
	} {
		e := to(c.endpoint, exporter.ProtocolGRPC)
		e.over = true
		e.run(t).want(t, nil, false, viaEndpoint, "{ALL}", "ok    endpoint: "+c.endpoint+" over grpc (--endpoint)", c.want, "{SPOOL}", oneProblem)
	}
}

// No time for a flush is not a time limit for the examination.
func TestNoFlushTimeout(t *testing.T) {
	t.Parallel()
	e := to("http://"+otlptest.Refused, exporter.ProtocolGRPC).flag("flush-timeout", "0s")
	e.over = true
	if got := e.run(t).findings[3]; got != "FAIL  connect: no answer from 127.0.0.1:1 within 5s -> look for a firewall in between, or correct --endpoint" {
		t.Error(got)
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	r := otlptest.New(t, otlptest.Config{})
	_, port, _ := net.SplitHostPort(r.HTTPAddr())
	got := to("http://localhost:"+port, exporter.ProtocolHTTP).run(t)
	if !got.ok || len(got.findings) < 4 || !contains(got.findings[3], "ok    name: localhost is ", "127.0.0.1") {
		t.Errorf("%v %q", got.ok, got.findings)
	}
}
