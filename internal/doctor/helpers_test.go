package doctor_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/config"
	"cbc-otel/exporter"
	"cbc-otel/internal/doctor"
	"cbc-otel/internal/otlptest"
	"cbc-otel/mapping"
)

// patient is a time that is only used up by a hang.
const patient = "1m"

// examination is what a user sets, to be examined.
type examination struct {
	flags map[string]string
	env   map[string]string
	yaml  string
	set   func(*doctor.Options)
	over  bool // its context has ended
}

// to is the ordinary case: an endpoint by flag.
func to(endpoint, protocol string) examination {
	return examination{flags: map[string]string{"endpoint": endpoint, "protocol": protocol}}
}

func (e examination) with(key, value string) examination {
	e.env = maps.Clone(e.env)
	if e.env == nil {
		e.env = make(map[string]string)
	}
	e.env[key] = value
	return e
}

func (e examination) flag(name, value string) examination {
	e.flags = maps.Clone(e.flags)
	if e.flags == nil {
		e.flags = make(map[string]string)
	}
	e.flags[name] = value
	return e
}

func (e examination) options(f func(*doctor.Options)) examination {
	e.set = f
	return e
}

// result is what was printed.
type result struct {
	ok       bool
	settings []string // the listing
	findings []string
	state    string // state home
}

// run loads the settings and examines them. Times are long unless flags say otherwise.
func (e examination) run(t *testing.T) result {
	t.Helper()
	r := result{state: t.TempDir()}
	env := map[string]string{"XDG_STATE_HOME": r.state}
	maps.Copy(env, e.env)
	flags := map[string]string{"flush-timeout": patient}
	maps.Copy(flags, e.flags)
	load := config.Options{Flags: flags, Getenv: func(key string) string { return env[key] }}
	if e.yaml != "" {
		flags["config"] = "c.yaml"
		load.ReadFile = func(string) ([]byte, error) { return []byte(e.yaml), nil }
	}
	settings, errs := config.Load(load)
	var out lines
	o := doctor.Options{Settings: settings, Errors: errs, Exporter: exporterOptions(settings, load.Getenv), Out: &out}
	if e.set != nil {
		e.set(&o)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if e.over {
		cancel()
	}
	r.ok = doctor.Run(ctx, o)
	if ctx.Err() != nil && !e.over {
		t.Error("hangs")
	}
	for i, line := range out {
		text, ended := strings.CutSuffix(line, "\n")
		if !ended || strings.Contains(text, "\n") {
			t.Errorf("not one line: %q", line)
		}
		out[i] = text
	}
	r.findings = out
	if end := slices.Index(out, ""); end >= 0 {
		r.settings, r.findings = out[:end], out[end+1:]
	}
	return r
}

// exporterOptions translates the settings as the program does.
func exporterOptions(s *config.Settings, getenv func(string) string) exporter.Options {
	headers := make(map[string]string)
	for _, h := range s.OTLP.Headers {
		headers[h.Name] = string(h.Value)
	}
	return exporter.Options{
		Exporters: s.Exporters,
		OTLP: exporter.OTLP{
			Endpoint: s.OTLP.URL, Exact: true, Protocol: s.OTLP.Protocol, Headers: headers, Compression: s.OTLP.Compression, Timeout: s.OTLP.Timeout,
			CAFile: s.OTLP.TLS.CAFile, CertFile: s.OTLP.TLS.CertFile, KeyFile: s.OTLP.TLS.KeyFile, Insecure: s.OTLP.TLS.Insecure,
		},
		File:        s.File,
		Store:       exporter.Store{Dir: s.Store.Dir, MaxAge: s.Store.MaxAge, MaxBytes: s.Store.MaxBytes},
		Console:     exporter.Console{Out: &bytes.Buffer{}},
		ServiceName: s.ServiceName,
		Resource:    s.Resource,
		Version:     "1.2.3",
		Getenv:      getenv,
	}
}

// want compares the findings, after {…} in the wanted ones was replaced, and the verdict.
func (r result) want(t *testing.T, replace map[string]string, ok bool, findings ...string) {
	t.Helper()
	pairs := []string{"{STATE}", filepath.Join(r.state, "cbc-otel"), "{SPOOL}", "ok    spool: spans that cannot be sent are kept in " + filepath.Join(r.state, "cbc-otel", "spool"),
		"{ALL}", "ok    sampling: every workflow is exported"}
	for name, value := range replace {
		pairs = append(pairs, "{"+name+"}", value)
	}
	replacer := strings.NewReplacer(pairs...)
	wanted := make([]string, len(findings))
	for i, f := range findings {
		wanted[i] = replacer.Replace(f)
	}
	if diff := cmp.Diff(wanted, r.findings); diff != "" {
		t.Errorf("findings (-want +got)\n%s", diff)
	}
	if r.ok != ok {
		t.Errorf("ok is %v", r.ok)
	}
}

// accepted is the line about the test span, which must have arrived once, labelled, and nothing else with it.
func accepted(t *testing.T, r *otlptest.Receiver) string {
	t.Helper()
	spans := r.Spans()
	if len(spans) != 1 {
		t.Fatalf("%d spans arrived, want 1", len(spans))
	}
	s := spans[0]
	label := ""
	for _, kv := range s.GetAttributes() {
		if kv.GetKey() == doctor.AttrLabel {
			label = otlptest.Text(kv.GetValue())
		}
	}
	if s.GetName() != doctor.SpanName || label != "true" || s.Resource["service.name"] != "cbc-otel" || s.Scope != "cbc-otel@1.2.3" || len(s.GetParentSpanId()) > 0 {
		t.Errorf("not labelled: %v of %v, scope %s", s.Span, s.Resource, s.Scope)
	}
	return fmt.Sprintf(`ok    test span: accepted: service cbc-otel, span "cbc-otel doctor", trace %x`, s.GetTraceId())
}

// lines keeps each write apart.
type lines []string

func (l *lines) Write(p []byte) (int, error) {
	*l = append(*l, string(p))
	return len(p), nil
}

// usualPort is a receiver on a loopback address of its own, with the usual ports 4317 and 4318.
func usualPort(t *testing.T, host string) *otlptest.Receiver {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has loopback addresses to choose from")
	}
	for _, port := range []string{"4317", "4318"} {
		ln, err := net.Listen("tcp", host+":"+port)
		if err != nil {
			t.Skip(err)
		}
		_ = ln.Close()
	}
	return otlptest.New(t, otlptest.Config{GRPCAddr: host + ":4317", HTTPAddr: host + ":4318"})
}

var protocols = []string{exporter.ProtocolGRPC, exporter.ProtocolHTTP}

// addr is host:port of the server for a protocol.
func addr(r *otlptest.Receiver, protocol string) string {
	_, address, _ := strings.Cut(r.URL(protocol), "://")
	return address
}

// shownURL is the endpoint as the doctor shows it.
func shownURL(r *otlptest.Receiver, protocol string) string {
	if protocol == exporter.ProtocolGRPC {
		return r.GRPCURL()
	}
	return r.HTTPURL() + otlptest.TracesPath
}

func parent(sampled bool) mapping.SpanContext {
	return mapping.SpanContext{TraceID: mapping.TraceID{0xaa}, SpanID: mapping.SpanID{0xbb}, Sampled: sampled}
}

func contains(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
