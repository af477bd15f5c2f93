package native

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDestinations(t *testing.T) {
	t.Parallel()
	const on = "CLAUDE_CODE_ENABLE_TELEMETRY=1"
	for _, tt := range []struct {
		name string
		env  []string
		want map[Signal]string
		err  string
	}{
		{"none", nil, nil, ""},
		{"one for all", []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318/"}, map[Signal]string{Traces: "http://c:4318/v1/traces", Logs: "http://c:4318/v1/logs"}, ""},
		{"its own", []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://l/x"},
			map[Signal]string{Traces: "http://c:4318/v1/traces", Logs: "http://l/x"}, ""},
		{"the default of a CLI that was on", []string{on, "OTEL_LOGS_EXPORTER=otlp,console"}, map[Signal]string{Logs: "http://localhost:4318/v1/logs"}, ""},
		{"the default of a CLI that was off", []string{"OTEL_LOGS_EXPORTER=otlp"}, nil, ""},
		{"turned off", []string{on, "OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_TRACES_EXPORTER=none", "OTEL_LOGS_EXPORTER=console"}, nil, ""},
		{"gRPC", []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:9", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, nil, "OTEL_EXPORTER_OTLP_ENDPOINT leads to gRPC"},
		{"gRPC for logs", []string{"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://c:9", "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=grpc"}, nil, "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT leads to gRPC"},
		{"metrics of a CLI that was off", []string{"OTEL_METRICS_EXPORTER=otlp"}, nil, "OTEL_METRICS_EXPORTER=otlp would make the command send metrics, which it does not now; set it to none, or turn"},
		{"no metrics", []string{"OTEL_METRICS_EXPORTER=none"}, nil, ""},
		{"metrics of a CLI that was on", []string{on, "OTEL_METRICS_EXPORTER=otlp"}, nil, ""},
		{"console of a CLI that was off", []string{"OTEL_LOGS_EXPORTER=otlp,console"}, nil, "OTEL_LOGS_EXPORTER=otlp,console would make the command print its telemetry"},
		{"gRPC by its port", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://c:4317"}, nil, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT leads to gRPC"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := NewPlan(tt.env)
			if tt.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.err) {
					t.Errorf("error %v, want %s", err, tt.err)
				}
				return
			}
			check(t, err)
			got := map[Signal]string{}
			for s, d := range p.Destinations {
				got[s] = d.URL
			}
			if len(got)+len(tt.want) > 0 && !cmp.Equal(tt.want, got) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func TestWanted(t *testing.T) {
	t.Parallel()
	claude, buddy, others := origin{claude: true}, origin{codeBuddy: true}, origin{others: true}
	for _, tt := range []struct {
		env    []string
		signal Signal
		from   origin
		want   bool
	}{
		{nil, Traces, claude, false},
		{nil, Traces, others, true},
		{nil, Traces, origin{}, true},
		{nil, Traces, origin{claude: true, others: true}, true},
		{[]string{"CLAUDE_CODE_ENABLE_TELEMETRY=1"}, Traces, claude, false},
		{[]string{"CLAUDE_CODE_ENABLE_TELEMETRY=1"}, Logs, claude, true},
		{[]string{"CLAUDE_CODE_ENABLE_TELEMETRY=1"}, Traces, buddy, true},
		{[]string{"CLAUDE_CODE_ENABLE_TELEMETRY=1", "CODEBUDDY_CODE_ENABLE_TELEMETRY=0"}, Traces, buddy, false},
		{[]string{"CLAUDE_CODE_ENABLE_TELEMETRY=1", "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=true"}, Traces, claude, true},
		{[]string{"CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=1"}, Traces, claude, false},
		{[]string{"CODEBUDDY_CODE_ENABLE_TELEMETRY=yes"}, Traces, buddy, true},
	} {
		p, err := NewPlan(tt.env)
		check(t, err)
		if got := p.wanted(tt.signal, tt.from); got != tt.want {
			t.Errorf("%v %s %+v: %v", tt.env, tt.signal, tt.from, got)
		}
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	r := start(t, Options{})
	before := []string{
		"PATH=/bin", "OTEL_EXPORTER_OTLP_PROTOCOL=http/json", "OTEL_TRACES_EXPORTER=console", "OTEL_LOGS_EXPORTER=none", "OTEL_METRICS_EXPORTER=otlp",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_LOGS_EXPORT_INTERVAL=9000", "OTEL_LOG_USER_PROMPTS=0", "CLAUDE_CODE_ENABLE_TELEMETRY=1", "CODEBUDDY_CODE_ENABLE_TELEMETRY=0",
	}
	given := slices.Clone(before)
	p, err := NewPlan(given)
	check(t, err)
	got := p.Environ(r)
	want := []string{
		"PATH=/bin", "OTEL_EXPORTER_OTLP_PROTOCOL=http/json", "OTEL_METRICS_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318",
		"OTEL_LOGS_EXPORT_INTERVAL=9000", "OTEL_LOG_USER_PROMPTS=0",
		"CLAUDE_CODE_ENABLE_TELEMETRY=1", "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=1", "CODEBUDDY_CODE_ENABLE_TELEMETRY=1",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + r.URL(Traces), "OTEL_TRACES_EXPORTER=console,otlp", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json",
		"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=" + r.URL(Logs), "OTEL_LOGS_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=http/json",
		"OTEL_TRACES_EXPORT_INTERVAL=300", "OTEL_BSP_SCHEDULE_DELAY=300", "OTEL_BLRP_SCHEDULE_DELAY=300",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !slices.Equal(given, before) {
		t.Errorf("the environment given was changed: %q", given)
	}
}

func TestPassOnSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ env, want string }{
		{"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318", "OTEL_EXPORTER_OTLP_ENDPOINT is no http:// or https:// address"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=https://c OTEL_EXPORTER_OTLP_CERTIFICATE=/nowhere/ca.pem", "certificate: open /nowhere/ca.pem"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=https://c OTEL_EXPORTER_OTLP_CERTIFICATE=plan_test.go", "certificate: plan_test.go holds none"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=https://c OTEL_EXPORTER_OTLP_CLIENT_KEY=/nowhere/key", "client certificate: open"},
	} {
		p, err := NewPlan(strings.Fields(tt.env))
		check(t, err)
		if _, err := NewPassOn(p); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: error %v", tt.env, err)
		}
	}
}
