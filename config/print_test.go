package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"cbc-otel/filter"
)

// What is printed can be loaded again and means the same, but for the masked secrets.
func TestPrintIsAFile(t *testing.T) {
	t.Parallel()
	for _, path := range files(t, "testdata/good/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text := read(t, path)
			if strings.Contains(text, "exporter: [none]") || strings.Contains(text, `["none"]`) {
				text = strings.ReplaceAll(text, `"exporter": ["none"], `, "")
			}
			before, errs := loadText("/etc/cbc-otel/c.yaml", text)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			printed := before.Print()
			if strings.Contains(printed, canary) || strings.Contains(printed, "12345.json") == strings.Contains(printed, "${env:DIGITS") && strings.Contains(text, "DIGITS") {
				t.Errorf("not as it should be:\n%s", printed)
			}
			after, errs := loadText("/etc/cbc-otel/c.yaml", strings.ReplaceAll(printed, `hmac_key: "****"`, "hmac_key: ${env:HMAC_KEY}"))
			if len(errs) > 0 {
				t.Fatalf("%v\n%s", errs, printed)
			}
			for _, h := range after.OTLP.Headers {
				if h.Value != masked {
					t.Errorf("header %s is not masked", h.Name)
				}
			}
			ignore := cmpopts.IgnoreFields(Settings{}, "Origins", "Notes", "Rules", "root", "OTLP.Headers", "Metrics.Headers", "Metrics.OTLP.Headers")
			if diff := cmp.Diff(before, after, ignore, cmpopts.IgnoreUnexported(Settings{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-before +after)\n%s\n%s", diff, printed)
			}
		})
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	s, errs := load([]string{"endpoint=http://h:4318", "grace=90s"},
		[]string{"CBC_OTEL_TAP=always", "OTEL_EXPORTER_OTLP_HEADERS=authorization=" + canary, "OTEL_EXPORTER_OTLP_TIMEOUT=2000"}, `
service_name: 'a: b $$x'
resource_attributes: {number: "12", list: [a, "$$b"], float: 2.0}
redaction:
  blocked_values: ['^a$', "${env:NAME:-x}"]
  hash_function: hmac-sha256
  hmac_key: '0123456789012345678901234567890123456789'
`)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := `# The configuration in effect. Secrets are masked.
# file: c.yaml
# traces are sent to: http://h:4318/v1/traces
exporter: [otlp]                                 # from the endpoint
otlp:
  endpoint: http://h:4318                        # --endpoint
  protocol: http/protobuf                        # from the endpoint
  headers:                                       # OTEL_EXPORTER_OTLP_HEADERS
    authorization: "****"
  compression: none                              # default
  timeout: 2s                                    # OTEL_EXPORTER_OTLP_TIMEOUT
  tls:
    insecure: false                              # default
store:
  dir: /home/user/.local/state/cbc-otel/traces   # default
  max_age: 14d                                   # default
  max_bytes: 200MB                               # default
service_name: "a: b $$x"                         # c.yaml:2
resource_attributes:                             # c.yaml:3
  number: "12"
  list: ["a", "$$b"]
  float: 2.0
grace: 1m30s                                     # --grace
tap: always                                      # CBC_OTEL_TAP
trace:
  parent: child                                  # default
  session_span: false                            # default
native: off                                      # default
content: false                                   # default
names:
  agent: label                                   # default
errors: text                                     # default
drain: exit                                      # default
on_signal: forward                               # default
flush_timeout: 3s                                # default
progress: none                                   # default
require_telemetry: false                         # default
strict: false                                    # default
log_level: warn                                  # default
redaction:
  blocked_values:
    - "^a$"
    - "${env:NAME:-x}"
  hash_function: hmac-sha256
  hmac_key: "****"
`
	if diff := cmp.Diff(want, s.Print()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestStarterLoads(t *testing.T) {
	t.Parallel()
	s, errs := loadText("starter.yaml", Starter())
	if len(errs) > 0 || len(s.Origins) != 2 { // service name and config
		t.Errorf("as it is: %v, %v", errs, s.Origins)
	}
	for line := range strings.SplitSeq(Starter(), "\n") {
		if len(line) > 120 {
			t.Errorf("long line: %s", line)
		}
	}
}

// With each # taken off that stands before a setting the starter file is a complete example.
func TestStarterUncommented(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for line := range strings.SplitSeq(Starter(), "\n") {
		text := strings.TrimLeft(line, " ")
		if strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "# ") {
			line = strings.Replace(line, "#", "", 1)
		}
		b.WriteString(line + "\n")
	}
	s, errs := loadText("/etc/cbc-otel/starter.yaml", b.String())
	if len(errs) > 0 {
		t.Fatalf("%v\n%s", errs, b.String())
	}
	for i := range table {
		if set := &table[i]; set.field != nil && s.Origins[set.Name].Source != FromFile && !set.OutsideFile {
			t.Errorf("%s is not in the starter file", set.Name)
		}
	}
	if cmp.Equal(s.Filter, filter.Config{}) || len(s.Filter.Attributes) == 0 || len(s.Filter.Drop) == 0 {
		t.Error("no rules in the starter file")
	}
}

func TestWriteStarter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "config.yaml")
	if err := WriteStarter(path); err != nil {
		t.Fatal(err)
	}
	if _, errs := Load(Options{Flags: map[string]string{"config": path}, Getenv: env()}); len(errs) > 0 {
		t.Error(errs)
	}
	if err := WriteStarter(path); err == nil || err.Error() != path+" exists already and is left as it is" {
		t.Errorf("error %v", err)
	}
}

func TestSecretsAreNotFormatted(t *testing.T) {
	t.Parallel()
	s, _ := load(nil, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318", "OTEL_EXPORTER_OTLP_HEADERS=authorization=" + canary}, "")
	for _, text := range []string{fmtAll("%v", s), fmtAll("%+v", s), fmtAll("%#v", s.OTLP), fmtAll("%s", s.OTLP.Headers), fmtAll("%q", s.OTLP.Headers)} {
		if strings.Contains(text, canary) {
			t.Errorf("%s", text)
		}
	}
}
