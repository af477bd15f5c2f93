package config

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Where metrics go, and with which headers.
func TestMetricsTarget(t *testing.T) {
	t.Parallel()
	const own, general = "OTEL_EXPORTER_OTLP_METRICS_", "OTEL_EXPORTER_OTLP_"
	for _, tt := range []struct {
		name           string
		flags, vars    []string
		file           string
		url, protocol  string
		headers, notes string
	}{
		{"no endpoint at all", nil, nil, "", "", "", "",
			"warn --metrics: metrics go nowhere: there is no OTLP endpoint for them (metrics.endpoint, or the exporter otlp)\n"},
		{"ours over HTTP", []string{"endpoint=http://h:4318"}, nil, "", "http://h:4318/v1/metrics", "http/protobuf", "", ""},
		{"ours over HTTP with a path", []string{"endpoint=https://h/api/otlp"}, nil, "", "https://h/api/otlp/v1/metrics", "http/protobuf", "", ""},
		{"ours over gRPC", []string{"endpoint=http://h:4317"}, nil, "", "http://h:4317", "grpc", "", ""},
		{"the general variable", nil, []string{general + "ENDPOINT=http://h:4318", general + "HEADERS=a=1"}, "", "http://h:4318/v1/metrics", "http/protobuf", "a=1", ""},
		{"that of traces with the usual path", nil, []string{general + "TRACES_ENDPOINT=http://h/v1/traces"}, "", "http://h/v1/metrics", "http/protobuf", "", ""},
		{"that of traces with another path", nil, []string{general + "TRACES_ENDPOINT=http://h/t"}, "", "", "",
			"", "warn --metrics: metrics go nowhere: there is no OTLP endpoint for them (metrics.endpoint, or the exporter otlp)\n"},
		{"that of metrics", nil, []string{general + "ENDPOINT=http://h:4318", own + "ENDPOINT=http://m:9/x", own + "HEADERS=m=2", general + "HEADERS=a=1"}, "", "http://m:9/x", "http/protobuf", "m=2", ""},
		{"that of metrics with general headers", nil, []string{own + "ENDPOINT=http://m:9/x", general + "HEADERS=a=1"}, "", "http://m:9/x", "http/protobuf", "a=1", ""},
		{"that of metrics alone", nil, []string{own + "ENDPOINT=http://m:4317", own + "PROTOCOL=grpc"}, "", "http://m:4317", "grpc", "", ""},
		{"that of metrics without a path", nil, []string{own + "ENDPOINT=http://m:4318"}, "", "http://m:4318", "http/protobuf", "",
			"warn OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: has no path and is used as it is; did you mean http://m:4318/v1/metrics?\n"},
		{"ours before that of metrics", []string{"endpoint=http://h:4318"}, []string{own + "ENDPOINT=http://m:9/x", own + "HEADERS=m=2"}, "", "http://h:4318/v1/metrics", "http/protobuf", "m=2", ""},
		{"no otlp by our own word", []string{"exporter=file"}, []string{own + "ENDPOINT=http://m:9/x"}, "", "", "", "",
			"warn --metrics: metrics go nowhere: there is no OTLP endpoint for them (metrics.endpoint, or the exporter otlp)\n"},
		{"that of the file", nil, []string{own + "ENDPOINT=http://m:9/x"},
			"otlp: {endpoint: \"http://h:4318\", headers: {k: v}}\nmetrics: {endpoint: \"https://f/v1/metrics\"}\n", "https://f/v1/metrics", "http/protobuf", "", ""},
		{"that of the file on the host of traces", nil, nil,
			"otlp: {endpoint: \"http://h:4318\", headers: {k: v}}\nmetrics: {endpoint: \"http://h:9/m\"}\n", "http://h:9/m", "http/protobuf", "k=v", ""},
		{"headers of the file", nil, []string{own + "HEADERS=m=2"},
			"otlp: {endpoint: \"http://h:4318\", headers: {k: v}}\nmetrics: {headers: {n: w}}\n", "http://h:4318/v1/metrics", "http/protobuf", "n=w", ""},
		{"headers of the file for traces before a variable", nil, []string{own + "HEADERS=m=2"},
			"otlp: {endpoint: \"http://h:4318\", headers: {k: v}}\n", "http://h:4318/v1/metrics", "http/protobuf", "k=v", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, errs := load(append(slices.Clone(tt.flags), "metrics=true"), tt.vars, tt.file)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			o := s.Metrics.OTLP
			if o.URL != tt.url || o.Protocol != tt.protocol {
				t.Errorf("goes to %q by %q, want %q by %q", o.URL, o.Protocol, tt.url, tt.protocol)
			}
			var pairs []string
			for k, v := range o.HeaderMap() {
				pairs = append(pairs, k+"="+v)
			}
			if got := strings.Join(pairs, ","); got != tt.headers {
				t.Errorf("headers %q, want %q", got, tt.headers)
			}
			if got := notes(s); got != tt.notes {
				t.Errorf("notes:\n%swant:\n%s", got, tt.notes)
			}
		})
	}
}

func TestMetricsOptions(t *testing.T) {
	t.Parallel()
	const own = "OTEL_EXPORTER_OTLP_METRICS_"
	s, errs := load([]string{"metrics=true"}, []string{
		own + "ENDPOINT=http://m:9/x", own + "TEMPORALITY_PREFERENCE=DELTA", own + "COMPRESSION=gzip", "OTEL_EXPORTER_OTLP_TIMEOUT=2000",
	}, "")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if m := s.Metrics; m.Temporality != "delta" || m.OTLP.Compression != "gzip" || m.OTLP.Timeout != 2*time.Second {
		t.Errorf("%+v", m)
	}
	s, errs = load([]string{"metrics=true", "endpoint=http://h:4318"}, []string{own + "TEMPORALITY_PREFERENCE=hourly"}, "")
	if got := notes(s); len(errs) > 0 || s.Metrics.Temporality != "cumulative" || got != "warn "+own+
		"TEMPORALITY_PREFERENCE: \"hourly\" is not supported; supported: cumulative, delta or lowmemory; not used\n" {
		t.Errorf("%v %q %s", errs, s.Metrics.Temporality, got)
	}
	_, errs = load([]string{"metrics=true"}, []string{own + "ENDPOINT=m:4318", own + "HEADERS=" + canary}, "")
	want := []string{
		`OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "m:4318" has no scheme, did you mean http://m:4318?; allowed: ` + endpointWanted,
		`OTEL_EXPORTER_OTLP_METRICS_HEADERS: pair 1 has no =; allowed: ` + headersWanted,
	}
	if got := slices.Sorted(strings.SplitSeq(errs.Error(), "\n")); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	// Without metrics their variables do not matter.
	s, errs = load(nil, []string{own + "ENDPOINT=m:4318", own + "HEADERS=x", own + "TEMPORALITY_PREFERENCE=x"}, "")
	if len(errs) > 0 || len(s.Notes) > 0 || s.Metrics.OTLP.URL != "" {
		t.Errorf("%v %v %+v", errs, notes(s), s.Metrics)
	}
}
