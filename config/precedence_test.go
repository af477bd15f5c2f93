package config

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

// load loads with flags and variables given as name=value, and a file with this text (none if it is empty).
func load(flags, variables []string, file string) (*Settings, Errors) {
	o := Options{Flags: map[string]string{"config": ""}, Getenv: env(variables...), Exists: existing, Command: []string{"/usr/bin/claude", "-p"}}
	for _, f := range flags {
		name, value, _ := strings.Cut(f, "=")
		o.Flags[name] = value
	}
	if file != "" {
		o.Flags["config"] = "c.yaml"
		o.ReadFile = func(string) ([]byte, error) { return []byte(file), nil }
	}
	return Load(o)
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	s, errs := load(nil, nil, "")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	s.Origins, s.Rules = nil, nil
	want := &Settings{
		Exporters:    []string{"file"},
		Store:        Store{Dir: "/home/user/.local/state/cbc-otel/traces", MaxAge: 14 * 24 * time.Hour, MaxBytes: 200e6},
		StateDir:     "/home/user/.local/state/cbc-otel",
		Metrics:      Metrics{Temporality: "cumulative"},
		ServiceName:  "claude",
		Grace:        5 * time.Second,
		FlushTimeout: 3 * time.Second,
		Tap:          "auto",
		Parent:       "child",
		Native:       "off",
		AgentNames:   "label",
		ErrorText:    "text",
		Drain:        "exit",
		OnSignal:     "forward", Progress: "none",
		LogLevel: say.Warn,
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
}

// sample holds for each setting of the table a value for each source, all different where that can be.
var sample = map[string]struct{ flag, env, file, fromFlag, fromEnv, fromFile any }{
	"exporter":           {"otlp", "file", "console", []string{"otlp"}, []string{"file"}, []string{"console"}},
	"otlp.endpoint":      {"http://f:1", "http://e:1", "http://y:1", "http://f:1", "http://e:1", "http://y:1"},
	"otlp.protocol":      {"grpc", "http/protobuf", "grpc", "grpc", "http/protobuf", "grpc"},
	"metrics.enabled":    {"true", "1", "true", true, true, true},
	"file.path":          {"f", "e", "y", "f", "e", "y"},
	"progress":           {"auto", "tty", "plain", "auto", "tty", "plain"},
	"grace":              {"1s", "2s", "3s", time.Second, 2 * time.Second, 3 * time.Second},
	"tap":                {"always", "never", "always", "always", "never", "always"},
	"trace.parent":       {"link", "ignore", "link", "link", "ignore", "link"},
	"native":             {"merge", "off", "merge", "merge", "off", "merge"},
	"trace.session_span": {"true", "1", "true", true, true, true},
	"content":            {"true", "1", "true", true, true, true},
	"drain":              {"wait", "exit", "wait", "wait", "exit", "wait"},
	"on_signal":          {"interrupt", "forward", "interrupt", "interrupt", "forward", "interrupt"},
	"flush_timeout":      {"1ms", "2ms", "3ms", time.Millisecond, 2 * time.Millisecond, 3 * time.Millisecond},
	"receipt":            {"f", "e", "y", "f", "e", "y"},
	"summary":            {"f", "e", "auto", "f", "e", "auto"},
	"trace.link":         {"http://f/{trace_id}", "http://e/{trace_id}", "http://y/?t={trace_id}", "http://f/{trace_id}", "http://e/{trace_id}", "http://y/?t={trace_id}"},
	"require_telemetry":  {"true", "TRUE", "true", true, true, true},
	"strict":             {"true", "0", "true", true, false, true},
	"log_level":          {"debug", "info", "error", say.Debug, say.Info, say.Error},
}

// Every setting with a flag can be given in three ways, and they go before each other in this order.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	for i := range table {
		set := &table[i]
		if set.Flag == "" || set.OutsideFile {
			continue
		}
		t.Run(set.Name, func(t *testing.T) {
			t.Parallel()
			v, ok := sample[set.Name]
			if !ok {
				t.Fatal("the test has no values for this setting")
			}
			flag, variable, file := set.Flag+"="+v.flag.(string), set.Env+"="+v.env.(string), nested(set.Name, v.file.(string))
			for _, tt := range []struct {
				flags, variables []string
				file             string
				want             any
				origin           string
			}{
				{[]string{flag}, []string{variable}, file, v.fromFlag, "--" + set.Flag},
				{nil, []string{variable}, file, v.fromEnv, set.Env},
				{nil, []string{set.Env + "= "}, file, v.fromFile, "c.yaml:"},
			} {
				s, errs := load(append(tt.flags, extra(set.Name)...), tt.variables, tt.file)
				if len(errs) > 0 {
					t.Fatal(errs)
				}
				got := reflect.ValueOf(set.field(s)).Elem().Interface()
				if !cmp.Equal(got, tt.want) || !strings.HasPrefix(s.Origins[set.Name].String(), tt.origin) {
					t.Errorf("%v from %s, want %v from %s", got, s.Origins[set.Name], tt.want, tt.origin)
				}
			}
		})
	}
}

// extra turns the exporter on that a setting needs to be in effect.
func extra(name string) []string {
	if strings.HasPrefix(name, "otlp.") {
		return []string{"exporter=otlp"}
	}
	return nil
}

// nested writes a setting as a file.
func nested(name, value string) string {
	var b strings.Builder
	keys := strings.Split(name, ".")
	for depth, key := range keys {
		b.WriteString(strings.Repeat("  ", depth) + key + ":")
		if depth < len(keys)-1 {
			b.WriteString("\n")
		}
	}
	return b.String() + " " + value + "\n"
}

func TestPeek(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ flag, variable, want string }{
		{"", "", "auto"}, {"", "always", "always"}, {"never", "always", "never"}, {"sometimes", "always", "always"}, {"", "sometimes", "auto"},
	} {
		o := Options{Getenv: env("CBC_OTEL_TAP=" + tt.variable), ReadFile: func(string) ([]byte, error) { t.Error("the file was read"); return nil, nil }}
		if tt.flag != "" {
			o.Flags = map[string]string{"tap": tt.flag}
		}
		if got := Peek(o, "tap"); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// What a weaker source says is checked all the same: it will be in effect one day.
func TestAllErrorsAtOnce(t *testing.T) {
	t.Parallel()
	s, errs := load(
		[]string{"grace=1s", "tap=x\n::error::y", "exporter=otlp,zipkin", "strict=maybe"},
		[]string{"CBC_OTEL_GRACE=soon", "CBC_OTEL_CONTENT=yes", "CBC_OTEL_ENDPOINT=localhost:4318"},
		"grace: never\ntap: auto\n")
	want := []string{
		`CBC_OTEL_CONTENT: "yes" is not a boolean; allowed: true or false`,
		`CBC_OTEL_ENDPOINT: "localhost:4318" has no scheme, did you mean http://localhost:4318?; allowed: ` + endpointWanted,
		`CBC_OTEL_GRACE: "soon" is not a duration; allowed: a duration with a unit, such as 500ms, 5s, 1m30s or 14d`,
		`--exporter: "zipkin" is not allowed; allowed: a list of otlp, file or console, or none alone`,
		`--strict: "maybe" is not a boolean; allowed: true or false`,
		`--tap: "x ::error::y" is not allowed; allowed: auto, always or never`,
		`c.yaml:1:8: grace: "never" is not a duration; allowed: a duration with a unit, such as 500ms, 5s, 1m30s or 14d`,
	}
	got := strings.Split(errs.Error(), "\n")
	less := func(a, b string) bool { return a < b }
	if diff := cmp.Diff(want, got, sorted(less)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(s.Exporters) > 0 {
		t.Errorf("exports to %v in spite of errors", s.Exporters)
	}
}

func TestFileSettings(t *testing.T) {
	t.Parallel()
	s, errs := loadText("/etc/cbc-otel/full.yaml", read(t, "testdata/good/full.yaml"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	wantOTLP := OTLP{
		Endpoint: "https://otlp.example.com/api/otlp", URL: "https://otlp.example.com/api/otlp/v1/traces", Protocol: "http/protobuf",
		Headers:     []Header{{"authorization", "Bearer " + canary}, {"x-tenant", "12345"}},
		Compression: "gzip", Timeout: 90 * time.Second,
		TLS: TLS{CAFile: "/etc/cbc-otel/ca.pem", CertFile: "/certs/client.pem", KeyFile: "/home/user/client.key"},
	}
	if !reflect.DeepEqual(s.OTLP, wantOTLP) {
		t.Errorf("got  %#v\nwant %#v", s.OTLP, wantOTLP)
	}
	if diff := cmp.Diff(map[string]string{"authorization": "Bearer " + canary, "x-tenant": "12345"}, s.OTLP.HeaderMap()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	wantResource := []mapping.Attribute{{Key: "team", Value: "platform"}, {Key: "build", Value: int64(12)}, {Key: "ratio", Value: 0.5},
		{Key: "canary", Value: true}, {Key: "owners", Value: []string{"a", "b"}}}
	if diff := cmp.Diff(wantResource, s.Resource); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	type rest struct {
		Exporters                         []string
		File, Receipt, Service            string
		Store                             Store
		Grace, Flush                      time.Duration
		Tap, Parent, Agent, Errors, Drain string
		OnSignal                          string
		Content, Require, Strict          bool
		Level                             say.Level
	}
	got := rest{s.Exporters, s.File, s.Receipt, s.ServiceName, s.Store, s.Grace, s.FlushTimeout, s.Tap, s.Parent, s.AgentNames, s.ErrorText,
		s.Drain, s.OnSignal, s.Content, s.RequireTelemetry, s.Strict, s.LogLevel}
	want := rest{[]string{"otlp", "file", "console"}, "/home/user/traces.jsonl", "out/12345.json", "my agents",
		Store{"/var/lib/traces", 36 * time.Hour, 3 << 29}, 0, 500 * time.Millisecond, "always", "link", "type", "type",
		"wait", "interrupt", true, true, true, say.Debug}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := notes(s); !strings.Contains(got, "warn /etc/cbc-otel/full.yaml: otlp.headers.x-unset: has no value and is not sent\n") {
		t.Errorf("notes: %s", got)
	}
	if got := s.Mask("Bearer " + canary + ", " + canary); strings.Contains(got, canary) {
		t.Errorf("Mask left %q", got)
	}
}

// notes returns the remarks, a line each.
func notes(s *Settings) string {
	var b strings.Builder
	for _, n := range s.Notes {
		b.WriteString(n.Level.String() + " " + n.Text + "\n")
	}
	return b.String()
}
