package collector

import (
	"context"
	"encoding/json"
	"maps"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/attributesprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/redactionprocessor"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"cbc-otel/config"
	"cbc-otel/filter"
	"cbc-otel/internal/otlpfilter"
)

// yaml is a part of a configuration file, as it would be decoded.
type yaml = map[string]any

// policy is what both are given: entries of attributes, each of which is one attributes processor, and the
// block redaction, which is one redaction processor.
type policy struct {
	attributes []any
	redaction  yaml
}

// collector runs the processors of the collector on a copy of the traces.
func collector(t testing.TB, p policy, in ptrace.Traces) ptrace.Traces {
	t.Helper()
	out := ptrace.NewTraces()
	in.CopyTo(out)
	for _, rule := range p.attributes {
		out = process(t, attributesprocessor.NewFactory(), rule.(yaml), out)
	}
	if p.redaction != nil {
		out = process(t, redactionprocessor.NewFactory(), p.redaction, out)
	}
	return out
}

func process(t testing.TB, f processor.Factory, settings yaml, in ptrace.Traces) ptrace.Traces {
	t.Helper()
	cfg := f.CreateDefaultConfig()
	if err := confmap.NewFromStringMap(settings).Unmarshal(cfg); err != nil {
		t.Fatalf("the collector does not take %v: %v", settings, err)
	}
	sink := new(consumertest.TracesSink)
	set := processor.Settings{ID: component(f), TelemetrySettings: componenttest.NewNopTelemetrySettings()}
	p, err := f.CreateTraces(context.Background(), set, cfg, sink)
	if err != nil {
		t.Fatalf("the collector does not take %v: %v", settings, err)
	}
	if err := p.ConsumeTraces(context.Background(), in); err != nil {
		t.Fatal(err)
	}
	return sink.AllTraces()[0]
}

// ours runs our rules, from the same text, on a copy of the traces. The built-in secrets, which the
// collector does not have, are off unless the policy says otherwise.
func ours(t testing.TB, p policy, in ptrace.Traces) ptrace.Traces {
	t.Helper()
	redaction := yaml{"secrets": false}
	maps.Copy(redaction, p.redaction)
	if p.redaction == nil || p.redaction["allow_all_keys"] == nil && p.redaction["allowed_keys"] == nil {
		redaction["allow_all_keys"] = true
	}
	all := yaml{"redaction": redaction}
	if p.attributes != nil {
		all["attributes"] = p.attributes
	}
	file, err := json.Marshal(all) // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	rules := load(t, file)
	raw, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(in)
	if err != nil {
		t.Fatal(err)
	}
	var td tracepb.TracesData
	if err := proto.Unmarshal(raw, &td); err != nil {
		t.Fatal(err)
	}
	if h := otlpfilter.Apply(rules, &td); h.Failed > 0 {
		t.Fatalf("%d spans failed under %s", h.Failed, file)
	}
	if raw, err = proto.Marshal(&td); err != nil {
		t.Fatal(err)
	}
	out, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(raw)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func load(t testing.TB, file []byte) *filter.Rules {
	t.Helper()
	s, errs := config.Load(config.Options{
		Flags:    map[string]string{"config": "/rules.yaml"},
		Getenv:   func(string) string { return "" },
		ReadFile: func(string) ([]byte, error) { return file, nil },
	})
	for _, err := range errs {
		t.Fatalf("we do not take %s: %v", file, err)
	}
	return s.Rules
}

// facts are the attributes of all places, and the texts that are none, in a form that can be compared. The
// order of attributes has no meaning, and the collector does not keep it.
func facts(td ptrace.Traces) []any {
	var all []any
	list := func(where string, m pcommon.Map) { all = append(all, yaml{where: m.AsRaw()}) }
	for _, rs := range td.ResourceSpans().All() {
		list("resource", rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				list("span", s.Attributes())
				all = append(all, yaml{"name": s.Name(), "message": s.Status().Message(), "tracestate": s.TraceState().AsRaw()})
				for _, e := range s.Events().All() {
					list("event "+e.Name(), e.Attributes())
				}
				for _, l := range s.Links().All() {
					list("link", l.Attributes())
				}
			}
		}
	}
	return all
}
