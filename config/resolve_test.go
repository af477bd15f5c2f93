package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExporters(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		flags     []string
		variables []string
		file      string
		want      string // exporters, origin
		notes     string
	}{
		{name: "nothing given", want: "file: default"},
		{name: "flag", flags: []string{"exporter=console,file, console"}, want: "console file: --exporter"},
		{name: "none", flags: []string{"exporter=none"}, want: ": --exporter"},
		{name: "standard none", variables: []string{"OTEL_TRACES_EXPORTER=none"}, want: ": OTEL_TRACES_EXPORTER"},
		{name: "standard none yields to ours", variables: []string{"OTEL_TRACES_EXPORTER=none", "CBC_OTEL_EXPORTER=console"}, want: "console: CBC_OTEL_EXPORTER"},
		{name: "standard none yields to the file", variables: []string{"OTEL_TRACES_EXPORTER=none"}, file: "exporter: file", want: "file: c.yaml:1"},
		{name: "standard none in spite of an endpoint", flags: []string{"endpoint=http://h:4318"}, variables: []string{"OTEL_TRACES_EXPORTER=none"}, want: ": OTEL_TRACES_EXPORTER",
			notes: "warn OTEL_TRACES_EXPORTER: none turns export off although an endpoint is given; --exporter otlp turns it on\n" +
				"info --endpoint: has no effect without the exporter otlp\n"},
		{name: "standard console", variables: []string{"OTEL_TRACES_EXPORTER=console"}, want: "console: OTEL_TRACES_EXPORTER"},
		{name: "standard list", variables: []string{"OTEL_TRACES_EXPORTER=zipkin, otlp,console"}, want: "otlp console: OTEL_TRACES_EXPORTER",
			notes: "info OTEL_TRACES_EXPORTER: \"zipkin\" not available here; available: otlp, file, console or none\n"},
		{name: "standard unknown, no endpoint", variables: []string{"OTEL_TRACES_EXPORTER=zipkin,jaeger"}, want: "file: default",
			notes: "info OTEL_TRACES_EXPORTER: \"zipkin\", \"jaeger\" not available here; available: otlp, file, console or none\n"},
		{name: "standard unknown, endpoint", variables: []string{"OTEL_TRACES_EXPORTER=zipkin", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318"}, want: "otlp: from the endpoint",
			notes: "info OTEL_TRACES_EXPORTER: \"zipkin\" not available here; available: otlp, file, console or none\n"},
		{name: "our endpoint", flags: []string{"endpoint=http://h:4318"}, want: "otlp: from the endpoint"},
		{name: "endpoint of the file", file: "otlp: {endpoint: 'http://h:4318'}", want: "otlp: from the endpoint"},
		{name: "standard endpoint", variables: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318"}, want: "otlp: from the endpoint"},
		{name: "standard endpoint of traces", variables: []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://h:4318/v1/traces"}, want: "otlp: from the endpoint"},
		{name: "endpoints of other signals", variables: []string{"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://h:4318", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://h:4318"}, want: "file: default"},
		{name: "file without its exporter", flags: []string{"file=x", "endpoint=http://h:4318"}, want: "otlp: from the endpoint",
			notes: "warn --file: has no effect without the exporter file\n"},
		{name: "file of the file without its exporter", file: "exporter: console\nfile: {path: x}", want: "console: c.yaml:1",
			notes: "info c.yaml:2: file.path: has no effect without the exporter file\n"},
		{name: "SDK disabled", variables: []string{"OTEL_SDK_DISABLED=TRUE", "CBC_OTEL_EXPORTER=file"}, want: ": CBC_OTEL_EXPORTER",
			notes: "info OTEL_SDK_DISABLED: nothing is exported\n"},
		{name: "SDK not disabled", variables: []string{"OTEL_SDK_DISABLED=1"}, want: "file: default",
			notes: "warn OTEL_SDK_DISABLED: \"1\" counts as false; allowed: true or false\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, errs := load(tt.flags, tt.variables, tt.file)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if got := strings.Join(s.Exporters, " ") + ": " + s.Origins["exporter"].String(); got != tt.want {
				t.Errorf("exporters %q, want %q", got, tt.want)
			}
			if diff := cmp.Diff(tt.notes, notes(s)); diff != "" {
				t.Errorf("notes (-want +got)\n%s", diff)
			}
		})
	}
}

func TestExporterNoneStandsAlone(t *testing.T) {
	t.Parallel()
	_, errs := load([]string{"exporter=none,file"}, nil, "")
	if want := "--exporter: none stands with others; allowed: a list of otlp, file or console, or none alone"; errs.Error() != want {
		t.Errorf("got %q, want %q", errs, want)
	}
}

func TestDestination(t *testing.T) {
	t.Parallel()
	const own, base, signal = "CBC_OTEL_ENDPOINT=", "OTEL_EXPORTER_OTLP_ENDPOINT=", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="
	for _, tt := range []struct {
		name      string
		variables []string
		want      string // protocol, URL
		notes     string
	}{
		{"own, port of grpc", []string{own + "http://h:4317"}, "grpc http://h:4317", ""},
		{"own, port of HTTP", []string{own + "http://h:4318"}, "http/protobuf http://h:4318/v1/traces", ""},
		{"own, final slash", []string{own + "http://h:4318/"}, "http/protobuf http://h:4318/v1/traces", ""},
		{"own, path", []string{own + "http://h/api/otel"}, "http/protobuf http://h/api/otel/v1/traces", ""},
		{"own, path of traces", []string{own + "https://h/v1/traces"}, "http/protobuf https://h/v1/traces", ""},
		{"own, other port", []string{own + "http://h:9999"}, "grpc http://h:9999", ""},
		{"own, other port and slash", []string{own + "http://h:9999/"}, "grpc http://h:9999", ""},
		{"own, no port", []string{own + "https://otlp.example.com"}, "grpc https://otlp.example.com:443", ""},
		{"own, no port, no TLS", []string{own + "http://h"}, "grpc http://h:4317", ""},
		{"own, IPv6", []string{own + "http://[::1]:4318"}, "http/protobuf http://[::1]:4318/v1/traces", ""},
		{"own, port of grpc and path", []string{own + "http://h:4317/v1/traces"}, "grpc http://h:4317",
			"warn CBC_OTEL_ENDPOINT: has a path, which is not used with grpc; did you mean the protocol http/protobuf?\n"},
		{"own protocol goes first", []string{own + "http://h:4317", "CBC_OTEL_PROTOCOL=http/protobuf", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, "http/protobuf http://h:4317/v1/traces",
			"info CBC_OTEL_ENDPOINT: http/protobuf to port 4317, which is usually that of grpc\n"},
		{"protocol of traces goes first", []string{own + "http://h:4318", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc"}, "grpc http://h:4318", ""},
		{"standard protocol before the port", []string{own + "http://h:4317", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"}, "http/protobuf http://h:4317/v1/traces",
			"info CBC_OTEL_ENDPOINT: http/protobuf to port 4317, which is usually that of grpc\n"},
		{"base", []string{base + "http://h:4318"}, "http/protobuf http://h:4318/v1/traces", ""},
		{"base, port of grpc", []string{base + "http://h:4317"}, "grpc http://h:4317", ""},
		{"base, other port", []string{base + "http://h:9999"}, "http/protobuf http://h:9999/v1/traces", ""},
		{"base, path", []string{base + "http://h/api/otel/"}, "http/protobuf http://h/api/otel/v1/traces", ""},
		{"base, path of traces", []string{base + "http://h:4318/v1/traces"}, "http/protobuf http://h:4318/v1/traces",
			"warn OTEL_EXPORTER_OTLP_ENDPOINT: ends in /v1/traces, which others add to this variable; it is used as it is; did you mean http://h:4318?\n"},
		{"traces", []string{signal + "http://h:4318/v1/traces", base + "http://other:4317"}, "http/protobuf http://h:4318/v1/traces", ""},
		{"traces, any path as it is", []string{signal + "http://h:4318/in"}, "http/protobuf http://h:4318/in", ""},
		{"traces, no path", []string{signal + "http://h:4318"}, "http/protobuf http://h:4318/",
			"warn OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: has no path and is used as it is; did you mean http://h:4318/v1/traces?\n"},
		{"traces, no path, grpc", []string{signal + "http://h:4317"}, "grpc http://h:4317", ""},
		{"host and port for grpc", []string{base + "h:4317", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, "grpc https://h:4317",
			"warn OTEL_EXPORTER_OTLP_ENDPOINT: \"h:4317\" has no scheme and is taken for https://h:4317\n"},
		{"host and port for grpc, plaintext", []string{signal + "h:4317", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_INSECURE=true"}, "grpc http://h:4317",
			"warn OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: \"h:4317\" has no scheme and is taken for http://h:4317\n"},
		{"ours before traces", []string{own + "http://own:4318", signal + "nonsense", base + "nonsense"}, "http/protobuf http://own:4318/v1/traces", ""},
		{"exporter alone", []string{"CBC_OTEL_EXPORTER=otlp"}, "http/protobuf http://localhost:4318/v1/traces", ""},
		{"exporter and protocol alone", []string{"CBC_OTEL_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, "grpc http://localhost:4317", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, errs := load(nil, tt.variables, "")
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if got := s.OTLP.Protocol + " " + s.OTLP.URL; got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if diff := cmp.Diff(tt.notes, notes(s)); diff != "" {
				t.Errorf("notes (-want +got)\n%s", diff)
			}
		})
	}
}

func TestStandardVariables(t *testing.T) {
	t.Parallel()
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318"
	for _, tt := range []struct {
		name      string
		variables []string
		file      string
		errs      string
		notes     string
	}{
		{name: "endpoint without scheme", variables: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4318"},
			errs: `OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" has no scheme, did you mean http://localhost:4318?; allowed: ` + endpointWanted},
		{name: "endpoint of traces without scheme", variables: []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=otlp.example.com/v1/traces"},
			errs: `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "otlp.example.com/v1/traces" has no scheme, did you mean https://otlp.example.com/v1/traces?; allowed: ` + endpointWanted},
		{name: "credentials without scheme for grpc", variables: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=u:" + canary + "@h:4317", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"},
			errs: `OTEL_EXPORTER_OTLP_ENDPOINT: has no scheme; allowed: ` + endpointWanted},
		{name: "our endpoint without scheme for grpc", variables: []string{"CBC_OTEL_ENDPOINT=h:4317", "CBC_OTEL_PROTOCOL=grpc"},
			errs: `CBC_OTEL_ENDPOINT: "h:4317" has no scheme, did you mean http://h:4317?; allowed: ` + endpointWanted},
		{name: "endpoint not used", variables: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4318", "CBC_OTEL_EXPORTER=file", "OTEL_EXPORTER_OTLP_HEADERS=x", "OTEL_EXPORTER_OTLP_PROTOCOL=http/json"}},
		{name: "unsupported protocol", variables: []string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=http/json"},
			errs: `OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" is not supported; allowed: grpc or http/protobuf (--protocol overrides)`},
		{name: "unsupported protocol overridden", variables: []string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=http/json"}, file: "otlp: {protocol: http/protobuf}"},
		{name: "header pair without =", variables: []string{endpoint, "OTEL_EXPORTER_OTLP_HEADERS=a=b, Bearer " + canary},
			errs: "OTEL_EXPORTER_OTLP_HEADERS: pair 2 has no =; allowed: " + headersWanted},
		{name: "header with a bad name", variables: []string{endpoint, "OTEL_EXPORTER_OTLP_TRACES_HEADERS=Authorization: " + canary + "=="},
			errs: "OTEL_EXPORTER_OTLP_TRACES_HEADERS: pair 1 has a name that is no header name; allowed: " + headersWanted},
		{name: "header with a bad escape", variables: []string{endpoint, "OTEL_EXPORTER_OTLP_HEADERS=authorization=" + canary + "%zz"},
			errs: "OTEL_EXPORTER_OTLP_HEADERS: pair 1 has a % without two hex digits after it; allowed: " + headersWanted},
		{name: "header with an escaped line end", variables: []string{endpoint, "OTEL_EXPORTER_OTLP_HEADERS=authorization=" + canary + "%0a"},
			errs: "OTEL_EXPORTER_OTLP_HEADERS: pair 1 has a value with control characters; allowed: " + headersWanted},
		{name: "headers of the file go first", variables: []string{endpoint, "OTEL_EXPORTER_OTLP_HEADERS=nonsense"}, file: "otlp: {headers: {a: b}}"},
		{name: "compression", variables: []string{endpoint, "OTEL_EXPORTER_OTLP_COMPRESSION=zstd"},
			notes: "warn OTEL_EXPORTER_OTLP_COMPRESSION: \"zstd\" is not supported; supported: gzip or none; not used\n"},
		{name: "timeout", variables: []string{endpoint, "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=10s"},
			notes: "warn OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: \"10s\" is not a number of milliseconds above zero; not used\n"},
		{name: "certificate", variables: []string{endpoint, "OTEL_EXPORTER_OTLP_CERTIFICATE=nowhere.pem"},
			errs: `OTEL_EXPORTER_OTLP_CERTIFICATE: "nowhere.pem": file does not exist`},
		{name: "content", variables: []string{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=everything"},
			notes: "warn OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: \"everything\" is not understood; understood: true, false, SPAN_ONLY, SPAN_AND_EVENT, EVENT_ONLY, NO_CONTENT; not used\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, errs := load(nil, tt.variables, tt.file)
			if diff := cmp.Diff(tt.errs, errs.Error()); diff != "" {
				t.Errorf("errors (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.notes, notes(s)); diff != "" {
				t.Errorf("notes (-want +got)\n%s", diff)
			}
			if strings.Contains(errs.Error()+notes(s), canary) {
				t.Error("a message shows the secret")
			}
		})
	}
}

func TestStandardValues(t *testing.T) {
	t.Parallel()
	s, errs := load(nil, []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318",
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=Basic%20dXNlcjpwYXNz==, x-a = with space ,,x-b=%41",
		"OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
		"OTEL_EXPORTER_OTLP_TIMEOUT=2500",
		"OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE=ca.pem", "OTEL_EXPORTER_OTLP_CERTIFICATE=nowhere.pem",
	}, "")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	o := s.OTLP
	want := []Header{{"authorization", "Basic dXNlcjpwYXNz=="}, {"x-a", "with space"}, {"x-b", "A"}}
	if diff := cmp.Diff(want, o.Headers); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if o.Compression != "gzip" || o.Timeout.Milliseconds() != 2500 || o.TLS.CAFile != "ca.pem" {
		t.Errorf("%+v", o)
	}
}

func TestContentSwitch(t *testing.T) {
	t.Parallel()
	const standard = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="
	for _, tt := range []struct {
		variables []string
		file      string
		want      bool
	}{
		{nil, "", false},
		{[]string{standard + "true"}, "", true},
		{[]string{standard + "SPAN_AND_EVENT"}, "", true},
		{[]string{standard + "EVENT_ONLY"}, "", false},
		{[]string{standard + "true"}, "content: false", false},
		{[]string{standard + "true", "CBC_OTEL_CONTENT=0"}, "", false},
		{[]string{"CBC_OTEL_CONTENT=1"}, "content: false", true},
	} {
		if s, errs := load(nil, tt.variables, tt.file); s.Content != tt.want || len(errs) > 0 {
			t.Errorf("%v, file %q: %v %v", tt.variables, tt.file, s.Content, errs)
		}
	}
}

func TestWorkflowsDisabled(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{"": false, "0": false, "false": false, "1": true, "true": true, " TRUE ": true} {
		if s, _ := load(nil, []string{"CODEBUDDY_DISABLE_WORKFLOWS=" + value}, ""); s.WorkflowsDisabled != want {
			t.Errorf("%q: %v, want %v", value, s.WorkflowsDisabled, want)
		}
	}
}
