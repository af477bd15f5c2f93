package doctor_test

import (
	"strings"
	"testing"

	"cbc-otel/exporter"
	"cbc-otel/internal/doctor"
	"cbc-otel/internal/otlptest"
	"cbc-otel/mapping"
)

// What turns telemetry off as a whole.
func TestSwitches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		e    examination
		want []string
	}{
		{"SDK disabled", to("http://127.0.0.1:1", "grpc").with("OTEL_SDK_DISABLED", "true"), []string{
			"FAIL  exporter: OTEL_SDK_DISABLED=true turns telemetry off -> unset OTEL_SDK_DISABLED", oneProblem,
		}},
		{"none by variable", examination{env: map[string]string{"OTEL_TRACES_EXPORTER": "none"}}, []string{
			"FAIL  exporter: none is chosen by OTEL_TRACES_EXPORTER -> set OTEL_TRACES_EXPORTER to otlp, file or console", oneProblem,
		}},
		{"none by file, tap never", examination{yaml: "exporter: [none]\ntap: never\n"}, []string{
			"FAIL  exporter: none is chosen by c.yaml:1 -> set exporter in c.yaml:1 to otlp, file or console",
			"FAIL  tap: never: the command's output is not looked at -> set tap in c.yaml:2 to auto or always", twoProblems,
		}},
		{"no workflows", examination{env: map[string]string{"CODEBUDDY_DISABLE_WORKFLOWS": "1", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://m:4318"}}, []string{
			"ok    exporter: file (default)",
			"warn  exporter: OTEL_EXPORTER_OTLP_METRICS_ENDPOINT does not count for traces -> set OTEL_EXPORTER_OTLP_ENDPOINT to send them",
			"FAIL  workflows: CODEBUDDY_DISABLE_WORKFLOWS turns them off in the agent CLI -> unset CODEBUDDY_DISABLE_WORKFLOWS",
			"{ALL}", "ok    store: traces are kept in {STATE}/traces", oneProblem,
		}},
		{"rules that drop everything", examination{yaml: "drop:\n  - match_type: regexp\n    span_names: ['.*']\n"}, []string{
			"ok    exporter: file (default)",
			"{ALL}",
			"warn  rules: an ordinary workflow that succeeds is dropped whole -> look at the section drop of c.yaml",
			"ok    store: traces are kept in {STATE}/traces", withAWarning,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.e.run(t).want(t, nil, false || c.want[len(c.want)-1] == withAWarning, c.want...)
		})
	}
}

// A sampler or a parent that drops what is made. The way to the receiver is examined all the same.
func TestSampling(t *testing.T) {
	t.Parallel()
	const (
		flags    = "FAIL  sampling: the flags 00 of TRACEPARENT say that its trace is not sampled: every workflow is dropped -> have the parent sampled (flags 01), or set --parent to link or ignore"
		child    = "ok    parent: workflows become children of span bb00000000000000 of trace aa000000000000000000000000000000 (TRACEPARENT)"
		all      = "ok    sampling: every workflow is exported"
		inherits = "00-aa000000000000000000000000000000-bb00000000000000-0"
	)
	sampled, unsampled := parent(true), parent(false)
	for _, c := range []struct {
		name         string
		env          map[string]string
		mode         string
		parent       mapping.SpanContext
		ok           bool
		want, result []string
	}{
		{"always off", map[string]string{"OTEL_TRACES_SAMPLER": "always_off"}, "", mapping.SpanContext{}, false,
			[]string{"FAIL  sampling: OTEL_TRACES_SAMPLER=always_off drops every workflow -> unset OTEL_TRACES_SAMPLER"}, nil},
		{"ratio of nothing", map[string]string{"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0"}, "", mapping.SpanContext{}, false,
			[]string{"FAIL  sampling: OTEL_TRACES_SAMPLER=parentbased_traceidratio with OTEL_TRACES_SAMPLER_ARG=0 drops every workflow -> unset OTEL_TRACES_SAMPLER"}, nil},
		{"ratio", map[string]string{"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.01"}, "", mapping.SpanContext{}, true,
			[]string{"warn  sampling: OTEL_TRACES_SAMPLER=traceidratio with OTEL_TRACES_SAMPLER_ARG=0.01 drops a part of the workflows -> unset OTEL_TRACES_SAMPLER to have all"}, nil},
		{"ratio of all", map[string]string{"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "1"}, "", mapping.SpanContext{}, true, []string{all}, nil},
		{"unknown sampler", map[string]string{"OTEL_TRACES_SAMPLER": "jaeger_remote"}, "", mapping.SpanContext{}, true, []string{all}, nil},
		{"sampled parent", map[string]string{"TRACEPARENT": inherits + "1"}, "child", sampled, true, []string{child, all}, nil},
		{"flags 00", map[string]string{"TRACEPARENT": inherits + "0"}, "child", unsampled, false, []string{child, flags}, nil},
		{"flags 00, but sampler always on", map[string]string{"TRACEPARENT": inherits + "0", "OTEL_TRACES_SAMPLER": "always_on"}, "child", unsampled, true, []string{child, all}, nil},
		{"flags 00, linked", map[string]string{"TRACEPARENT": inherits + "0"}, "link", unsampled, true,
			[]string{"ok    parent: workflows are linked to span bb00000000000000 of trace aa000000000000000000000000000000 (TRACEPARENT)", all}, nil},
		{"flags 00, ignored", map[string]string{"TRACEPARENT": inherits + "0"}, "ignore", unsampled, true,
			[]string{"ok    parent: TRACEPARENT is ignored (--parent)", all}, nil},
		{"sampled parent, always off", map[string]string{"TRACEPARENT": inherits + "1", "OTEL_TRACES_SAMPLER": "always_off"}, "child", sampled, false,
			[]string{child, "FAIL  sampling: OTEL_TRACES_SAMPLER=always_off drops every workflow of this TRACEPARENT -> unset OTEL_TRACES_SAMPLER"}, nil},
		{"GitHub run", nil, "github", sampled, true,
			[]string{"ok    parent: workflows become children of span bb00000000000000 of trace aa000000000000000000000000000000 (GitHub run)", all}, nil},
		{"GitHub run, always off", map[string]string{"OTEL_TRACES_SAMPLER": "always_off"}, "github", sampled, false,
			[]string{"ok    parent: workflows become children of span bb00000000000000 of trace aa000000000000000000000000000000 (GitHub run)",
				"FAIL  sampling: OTEL_TRACES_SAMPLER=always_off drops every workflow of this GitHub run -> unset OTEL_TRACES_SAMPLER"}, nil},
		{"elsewhere than on GitHub", map[string]string{"TRACEPARENT": inherits + "1"}, "github", sampled, true, []string{child, all}, nil},
		{"no GitHub run", nil, "github", mapping.SpanContext{}, true, []string{"ok    parent: here is no GitHub run (--parent): each workflow is a trace of its own", all}, nil},
		{"bad parent", map[string]string{"TRACEPARENT": "00-AA-BB-01"}, "child", mapping.SpanContext{}, true,
			[]string{"warn  parent: TRACEPARENT is not valid and not used: each workflow is a trace of its own -> correct or unset it (W3C Trace Context: 00-TRACEID-SPANID-01, in lower case)", all}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := otlptest.New(t, otlptest.Config{})
			e := to(r.GRPCURL(), exporter.ProtocolGRPC).options(func(o *doctor.Options) {
				o.Parent, o.GitHubRun = c.parent, strings.HasPrefix(c.name, "GitHub run")
			})
			for key, value := range c.env {
				e = e.with(key, value)
			}
			if c.mode != "" {
				e = e.flag("parent", c.mode)
			}
			got := e.run(t)
			want := append([]string{viaEndpoint}, c.want...)
			want = append(want, "ok    endpoint: {URL} over grpc (--endpoint)")
			warnings := 0
			if c.name == "unknown sampler" {
				want = append(want, `warn  otlp: OTEL_TRACES_SAMPLER: no sampler "jaeger_remote" here; using parentbased_always_on`)
			}
			for _, line := range want {
				if line[:4] == "warn" {
					warnings++
				}
			}
			want = append(want, "ok    connect: {ADDR} takes connections", "{ACCEPTED}", "{SPOOL}",
				map[bool]string{true: wouldArrive + []string{"", "; 1 warning"}[warnings], false: oneProblem}[c.ok])
			got.want(t, map[string]string{"URL": r.GRPCURL(), "ADDR": r.GRPCAddr(), "ACCEPTED": accepted(t, r)}, c.ok, want...)
		})
	}
}
