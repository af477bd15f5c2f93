package exporter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/exporter"
)

func TestResolveEndpoint(t *testing.T) {
	t.Parallel()
	const general, perSignal = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	const grpc, http = exporter.ProtocolGRPC, exporter.ProtocolHTTP
	for _, c := range []struct {
		name               string
		own, ownProtocol   string
		env                env
		protocol, endpoint string // wanted
		warning, err       string // a part
	}{
		{"nothing", "", "", nil, http, "http://localhost:4318/v1/traces", "", ""},
		{"nothing but the protocol", "", grpc, nil, grpc, "http://localhost:4317", "", ""},

		{"own, port of HTTP", "http://h:4318", "", nil, http, "http://h:4318/v1/traces", "", ""},
		{"own, slash", "http://h:4318/", "", nil, http, "http://h:4318/v1/traces", "", ""},
		{"own, port of gRPC", "https://h:4317", "", nil, grpc, "https://h:4317", "", ""},
		{"own, path", "https://h/api/otel", "", nil, http, "https://h/api/otel/v1/traces", "", ""},
		{"own, path and slash", "https://h/api/otel/", "", nil, http, "https://h/api/otel/v1/traces", "", ""},
		{"own, whole URL", "https://h/x/v1/traces", "", nil, http, "https://h/x/v1/traces", "", ""},
		{"own, escaped path and query", "https://h/a%2Fb?key=secret", "", nil, http, "https://h/a%2Fb/v1/traces", "", ""},
		{"own, no hint", "https://h", "", nil, grpc, "https://h:443", "", ""},
		{"own, no hint, plaintext", "http://h", "", nil, grpc, "http://h:80", "", ""},
		{"own, IPv6", "http://[::1]:4318", "", nil, http, "http://[::1]:4318/v1/traces", "", ""},
		{"own, IPv6 without a port", "https://[::1]", "", nil, grpc, "https://[::1]:443", "", ""},
		{"own socket", "unix:///run/otel.sock", "", nil, grpc, "unix:///run/otel.sock", "", ""},
		{"own over the environment", "http://h:4318", "", env{general: "http://other:4317", perSignal: "http://third:4317/x"}, http, "http://h:4318/v1/traces", "", ""},

		{"general", "", "", env{general: "http://h:4318"}, http, "http://h:4318/v1/traces", "", ""},
		{"general, slash", "", "", env{general: "http://h:4318/"}, http, "http://h:4318/v1/traces", "", ""},
		{"general, path", "", "", env{general: "http://h/api/otel"}, http, "http://h/api/otel/v1/traces", "", ""},
		{"general, no hint", "", "", env{general: "https://h"}, http, "https://h/v1/traces", "", ""},
		{"general, port of gRPC", "", "", env{general: "http://h:4317"}, grpc, "http://h:4317", "", ""},
		{"general, whole URL", "", "", env{general: "http://h:4318/v1/traces"}, http, "http://h:4318/v1/traces", general + ": /v1/traces is appended to it", ""},
		{"for traces", "", "", env{perSignal: "http://h:4318/custom"}, http, "http://h:4318/custom", "", ""},
		{"for traces before general", "", "", env{general: "http://g:4318", perSignal: "http://h:4318/custom/"}, http, "http://h:4318/custom/", "", ""},
		{"for traces, no path", "", "", env{perSignal: "http://h:4318"}, http, "http://h:4318/", perSignal + ": it is used as it is, without a path; did you mean http://h:4318/v1/traces?", ""},
		{"white space", "", "", env{general: "  http://h:4318  "}, http, "http://h:4318/v1/traces", "", ""},

		{"protocol of the environment", "", "", env{general: "http://h:9", "OTEL_EXPORTER_OTLP_PROTOCOL": grpc}, grpc, "http://h:9", "", ""},
		{"protocol for traces", "", "", env{general: "http://h:9", "OTEL_EXPORTER_OTLP_PROTOCOL": grpc, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": http}, http, "http://h:9/v1/traces", "", ""},
		{"own protocol", "http://h:9", http, env{"OTEL_EXPORTER_OTLP_PROTOCOL": grpc}, http, "http://h:9/v1/traces", "", ""},
		{"HTTP to 4317", "http://h:4317", http, nil, http, "http://h:4317/v1/traces", "endpoint: 4317 is the usual port of gRPC", ""},
		{"gRPC to 4318", "http://h:4318", grpc, nil, grpc, "http://h:4318", "endpoint: 4318 is the usual port of HTTP", ""},
		{"gRPC with a path", "http://h:9/v1/traces", grpc, nil, grpc, "http://h:9", `endpoint: gRPC has no path, "/v1/traces" is ignored`, ""},
		{"gRPC without a scheme", "", grpc, env{general: "h:4317"}, grpc, "https://h:4317", general + `: "h:4317" has no scheme; taken for https://h:4317`, ""},
		{"gRPC without a scheme, insecure", "", grpc, env{general: "localhost:4317", "OTEL_EXPORTER_OTLP_INSECURE": "true"}, grpc, "http://localhost:4317", general, ""},

		{"own without a scheme", "localhost:4318", "", nil, "", "", "", `endpoint: "localhost:4318" has no scheme; did you mean http://localhost:4318?`},
		{"general without a scheme", "", "", env{general: "localhost:4318"}, "", "", "", general + `: "localhost:4318" has no scheme; did you mean http://localhost:4318?`},
		{"a name alone", "localhost", "", nil, "", "", "", `endpoint: "localhost" has no scheme; did you mean http://localhost?`},
		{"a path without a scheme", "h:4318/v1/traces", "", nil, "", "", "", `did you mean http://h:4318/v1/traces?`},
		{"another scheme", "ftp://h", "", nil, "", "", "", "endpoint: not a URL such as http://localhost:4318"},
		{"no URL", "http://[::1", "", nil, "", "", "", "endpoint: not a URL such as http://localhost:4318"},
		{"password", "http://me:secret@h:4318", "", nil, "", "", "", "endpoint: user and password in a URL are not supported"},
		{"password without a scheme", "me:secret@h:4318", "", nil, "", "", "", "endpoint: not a URL such as http://localhost:4318"},
		{"socket over HTTP", "unix:///run/x", http, nil, "", "", "", "endpoint: a unix socket needs the protocol grpc"},
		{"protocol not supported", "http://h:4318", "http/json", nil, "", "", "", `protocol: "http/json" is not supported; use grpc or http/protobuf`},
		{"protocol of the environment not supported", "", "", env{"OTEL_EXPORTER_OTLP_PROTOCOL": "thrift"}, "", "", "", `OTEL_EXPORTER_OTLP_PROTOCOL: "thrift" is not supported`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			target, warnings, err := exporter.OTLP{Endpoint: c.own, Protocol: c.ownProtocol}.Resolve(c.env.get)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "secret") {
					t.Errorf("error %v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if target.Protocol != c.protocol || target.Endpoint() != c.endpoint {
				t.Errorf("%s %s, want %s %s", target.Protocol, target.Endpoint(), c.protocol, c.endpoint)
			}
			if all := strings.Join(warnings, "\n"); c.warning == "" && all != "" || !strings.Contains(all, c.warning) {
				t.Errorf("warnings %q, want %q", all, c.warning)
			}
		})
	}
}

func TestResolveRest(t *testing.T) {
	t.Parallel()
	resolved := func(o exporter.OTLP, e env) exporter.Target {
		t.Helper()
		target, _, err := o.Resolve(e.get)
		if err != nil {
			t.Fatal(err)
		}
		return target
	}
	e := env{
		"OTEL_EXPORTER_OTLP_TIMEOUT": "2500", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip", "OTEL_EXPORTER_OTLP_HEADERS": "general=1",
		"OTEL_EXPORTER_OTLP_TRACES_HEADERS": "authorization=Basic%20dXNlcjpwYXNz==, X-Spaced = a b ,empty=,pct=%25,",
	}
	target := resolved(exporter.OTLP{}, e)
	want := map[string]string{"authorization": "Basic dXNlcjpwYXNz==", "x-spaced": "a b", "empty": "", "pct": "%"}
	if diff := cmp.Diff(want, target.Headers); diff != "" {
		t.Error(diff)
	}
	if target.Timeout != 2500*time.Millisecond || target.Compression != "gzip" || target.Origins["Headers"] != "OTEL_EXPORTER_OTLP_TRACES_HEADERS" || target.Origins["Timeout"] != "OTEL_EXPORTER_OTLP_TIMEOUT" {
		t.Errorf("%+v", target)
	}
	target = resolved(exporter.OTLP{Headers: map[string]string{"A": "b"}, Timeout: time.Second, Compression: "none"}, e)
	if diff := cmp.Diff(map[string]string{"a": "b"}, target.Headers); diff != "" || target.Timeout != time.Second || target.Compression != "" {
		t.Errorf("%+v %s", target, diff)
	}
	if target = resolved(exporter.OTLP{Headers: map[string]string{}}, e); len(target.Headers) != 0 {
		t.Errorf("headers of the environment although none are wanted: %v", target.Headers)
	}
	if target = resolved(exporter.OTLP{}, nil); target.Timeout != exporter.DefaultTimeout || target.Headers != nil {
		t.Errorf("%+v", target)
	}
}

// Errors come together, each names its key, none holds a value that may be a secret.
func TestResolveErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	notPEM := filepath.Join(dir, "not.pem")
	if err := os.WriteFile(notPEM, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		otlp exporter.OTLP
		env  env
		want string
	}{
		"pair":               {exporter.OTLP{}, env{"OTEL_EXPORTER_OTLP_HEADERS": "a=1,secret"}, "OTEL_EXPORTER_OTLP_HEADERS: entry 2 is not key=value"},
		"name":               {exporter.OTLP{}, env{"OTEL_EXPORTER_OTLP_HEADERS": "se cret=1"}, "OTEL_EXPORTER_OTLP_HEADERS: entry 1: the name of a header has a character that is not allowed"},
		"no name":            {exporter.OTLP{}, env{"OTEL_EXPORTER_OTLP_HEADERS": "=secret"}, "OTEL_EXPORTER_OTLP_HEADERS: entry 1: a header without a name"},
		"percent":            {exporter.OTLP{}, env{"OTEL_EXPORTER_OTLP_TRACES_HEADERS": "a=secret100%"}, "OTEL_EXPORTER_OTLP_TRACES_HEADERS: the value of entry 1 has a %"},
		"line break":         {exporter.OTLP{}, env{"OTEL_EXPORTER_OTLP_HEADERS": "a=secret%0D%0Ab"}, "OTEL_EXPORTER_OTLP_HEADERS: entry 1: the value of a has a character"},
		"own header":         {exporter.OTLP{Headers: map[string]string{"a": "sécret"}}, nil, "headers: the value of a has a character that is not allowed"},
		"timeout":            {exporter.OTLP{}, env{"OTEL_EXPORTER_OTLP_TIMEOUT": "10s"}, `OTEL_EXPORTER_OTLP_TIMEOUT: "10s" is no number of milliseconds`},
		"compression":        {exporter.OTLP{}, env{"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION": "zstd"}, `OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "zstd" is not supported; use gzip or none`},
		"authority missing":  {exporter.OTLP{Endpoint: "https://h", CAFile: filepath.Join(dir, "none")}, nil, "tls.ca_file: open "},
		"authority no PEM":   {exporter.OTLP{Endpoint: "https://h"}, env{"OTEL_EXPORTER_OTLP_CERTIFICATE": notPEM}, "OTEL_EXPORTER_OTLP_CERTIFICATE: " + notPEM + " holds no PEM certificate"},
		"certificate no PEM": {exporter.OTLP{Endpoint: "https://h", CertFile: notPEM, KeyFile: notPEM}, nil, "tls.cert_file: client certificate " + notPEM},
		"key alone":          {exporter.OTLP{Endpoint: "https://h", KeyFile: notPEM}, nil, "tls: a client certificate and its key are needed together"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := c.otlp.Resolve(c.env.get)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "sécret") {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
	_, _, err := exporter.OTLP{Endpoint: "h", Protocol: "x", Compression: "y"}.Resolve(env{}.get)
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("not all errors: %v", err)
	}
	// A certificate for other endpoints does not matter to a plaintext one.
	if _, _, err := (exporter.OTLP{Endpoint: "http://h:4318"}).Resolve(env{"OTEL_EXPORTER_OTLP_CERTIFICATE": notPEM}.get); err != nil {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		exporters []string
		env       env
		want      string // "": no error
	}{
		"unknown":          {[]string{"jaeger"}, nil, `exporter: there is no "jaeger"; use otlp, file, console, none`},
		"none and another": {[]string{"none", "file"}, nil, "exporter: none cannot be combined with others"},
		"none":             {[]string{"none"}, nil, ""},
		"disabled":         {[]string{"console"}, env{"OTEL_SDK_DISABLED": "true"}, ""},
		"console nowhere":  {[]string{"console"}, nil, "console: there is nothing to write to"},
		"several":          {[]string{"console", "otlp"}, env{"OTEL_EXPORTER_OTLP_ENDPOINT": "h:1"}, "OTEL_EXPORTER_OTLP_ENDPOINT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := exporter.Open(exporter.Options{Exporters: c.exporters, Getenv: c.env.get})
			if c.want == "" {
				if err != nil || len(p.Exporters()) != 0 {
					t.Errorf("%v, %v", p.Exporters(), err)
				}
				p.Close()
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

// Whatever stands in the variables: no panic, and an error holds none of the headers.
func FuzzResolve(f *testing.F) {
	f.Add("http://h:4318/x?y=z", "grpc", "authorization=Basic%20x==")
	f.Add("h:4317", "grpc", "a")
	f.Add("unix:///x", "", "=")
	f.Add("http://[::1", "http/protobuf", "a=%")
	f.Fuzz(func(t *testing.T, endpoint, protocol, headers string) {
		for _, o := range []exporter.OTLP{{}, {Endpoint: endpoint, Protocol: protocol}} {
			e := env{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol, "OTEL_EXPORTER_OTLP_HEADERS": headers + ",x=canary\x01"}
			target, _, err := o.Resolve(e.get)
			if err == nil || strings.Contains(err.Error(), "canary") && !strings.Contains(endpoint+protocol, "canary") {
				t.Errorf("%v", err)
			}
			if target.URL != nil && (target.URL.User != nil || target.Protocol != exporter.ProtocolGRPC && target.Protocol != exporter.ProtocolHTTP) {
				t.Errorf("%+v", target)
			}
		}
	})
}
