package exporter_test

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/testing/protocmp"

	"cbc-otel/exporter"
	"cbc-otel/exporter/otlpjson"
	"cbc-otel/internal/otlptest"
	"cbc-otel/mapping"
)

// toFile is options for the file exporter, and the file.
func toFile(t *testing.T) (exporter.Options, string) {
	t.Helper()
	o, _ := options(t, "file")
	o.File = filepath.Join(t.TempDir(), "out.jsonl")
	return o, o.File
}

// exported runs trees through the file exporter and returns what it wrote.
func exported(t *testing.T, o exporter.Options, trees ...mapping.Tree) []otlptest.Span {
	t.Helper()
	run(t, o, hang, trees...)
	return readFile(t, o.File)
}

func readFile(t *testing.T, path string) []otlptest.Span {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var spans []otlptest.Span
	for _, line := range lines(content) {
		data, err := otlpjson.Unmarshal(line)
		if err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		spans = append(spans, otlptest.Flatten(data)...)
	}
	return spans
}

var inbound = mapping.SpanContext{
	TraceID: mapping.TraceID{0xaa, 1}, SpanID: mapping.SpanID{0xbb, 1}, Sampled: true, TraceState: "vendor=x,other=y",
}

// under makes the tree one under an inbound parent.
func under(t mapping.Tree, parent mapping.SpanContext) mapping.Tree {
	for i := range t.Spans {
		t.Spans[i].TraceID = parent.TraceID
	}
	t.Spans[0].ParentID, t.Spans[0].Parent = parent.SpanID, parent
	return t
}

// Everything a tree says is in the spans, and nothing is made up.
func TestSpans(t *testing.T) {
	t.Parallel()
	o, _ := toFile(t)
	tr := under(tree(7, 1), inbound)
	tr.Spans[0].Links = []mapping.Link{{Context: mapping.SpanContext{TraceID: mapping.TraceID{1}, SpanID: mapping.SpanID{2}, Sampled: true, TraceState: "c=d"}, Attributes: []mapping.Attribute{{Key: "why", Value: "x"}}}}
	tr.Spans[2].Status = mapping.Status{Error: true, Description: "API Error: 500"}
	tr.Spans[2].Attributes = []mapping.Attribute{{Key: "s", Value: "text"}, {Key: "i", Value: int64(-1)}, {Key: "b", Value: true}, {Key: "f", Value: 0.5}, {Key: "l", Value: []string{"a", ""}}}
	tr.Spans[2].Events = []mapping.SpanEvent{{Name: "retry", Time: epoch.Add(time.Second), Attributes: []mapping.Attribute{{Key: "attempt", Value: int64(2)}}}}
	spans := exported(t, o, tr)
	if len(spans) != 3 {
		t.Fatalf("%d spans", len(spans))
	}

	root, phase, agent := spans[0], spans[1], spans[2]
	const local, remote = 0x101, 0x301 // sampled; whether the parent is remote is known, and for the root it is
	for _, c := range []struct {
		span           otlptest.Span
		parent         mapping.SpanID
		flags          uint32
		name           string
		code           tracepb.Status_StatusCode
		seconds        int
		attrs, events_ int
	}{
		{root, inbound.SpanID, remote, "invoke_workflow audit", tracepb.Status_STATUS_CODE_UNSET, 3, 5, 1},
		{phase, tr.Spans[0].SpanID, local, "phase Gather", tracepb.Status_STATUS_CODE_UNSET, 3, 2, 0},
		{agent, tr.Spans[1].SpanID, local, "invoke_agent scout-1", tracepb.Status_STATUS_CODE_ERROR, 2, 5, 1},
	} {
		s := c.span
		if hex.EncodeToString(s.TraceId) != hex.EncodeToString(inbound.TraceID[:]) || hex.EncodeToString(s.ParentSpanId) != hex.EncodeToString(c.parent[:]) ||
			s.Flags != c.flags || s.Name != c.name || s.Kind != tracepb.Span_SPAN_KIND_INTERNAL || s.Status.GetCode() != c.code ||
			s.StartTimeUnixNano != uint64(epoch.UnixNano()) || s.EndTimeUnixNano != uint64(epoch.Add(time.Duration(c.seconds)*time.Second).UnixNano()) ||
			s.TraceState != inbound.TraceState || len(s.Attributes) != c.attrs || len(s.Events) != c.events_ {
			t.Errorf("%s: %v", c.name, s.Span)
		}
	}
	if root.Links[0].SpanId[0] != 2 || otlptest.Text(root.Links[0].Attributes[0].Value) != "x" || root.Links[0].Flags != 0x301 || root.Links[0].TraceState != "c=d" {
		t.Errorf("link %v", root.Links[0])
	}
	if agent.Status.Message != "API Error: 500" || agent.Events[0].TimeUnixNano != uint64(epoch.Add(time.Second).UnixNano()) {
		t.Errorf("agent %v", agent.Span)
	}
	for key, want := range map[string]string{"s": "text", "i": "-1", "b": "true", "f": "0.5", "l": "[a, ]"} {
		if got, ok := agent.Attr(key); got != want || !ok {
			t.Errorf("%s = %s", key, got)
		}
	}
}

// Without an inbound parent the workflow is a root, and there is one.
func TestRoot(t *testing.T) {
	t.Parallel()
	o, _ := toFile(t)
	roots := 0
	for _, s := range exported(t, o, tree(1, 5)) {
		if len(s.ParentSpanId) == 0 {
			roots++
			if s.Flags != 0x101 {
				t.Errorf("flags %x", s.Flags)
			}
		}
	}
	if roots != 1 {
		t.Errorf("%d roots", roots)
	}
}

func TestSameBytes(t *testing.T) {
	t.Parallel()
	var files [2][]byte
	for i := range files {
		o, path := toFile(t)
		o.Getenv = env{"OTEL_RESOURCE_ATTRIBUTES": "z=1,a=2,m=3"}.get
		run(t, o, hang, numbered(20, 40)...)
		var err error
		if files[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if len(files[0]) == 0 || string(files[0]) != string(files[1]) {
		t.Error("the same trees gave different files")
	}
}

// One bad byte makes protobuf refuse a whole batch; texts are made valid here at the latest.
func TestInvalidText(t *testing.T) {
	t.Parallel()
	const bad, good = "a\xffb", "a\ufffdb"
	r := otlptest.New(t, otlptest.Config{})
	o, _ := toReceiver(t, r.GRPCURL(), exporter.ProtocolGRPC)
	o.ServiceName = bad
	o.Getenv = env{"OTEL_RESOURCE_ATTRIBUTES": "k=" + bad}.get
	tr := tree(1, 1)
	s := &tr.Spans[2]
	s.Name, s.Status = bad, mapping.Status{Error: true, Description: bad}
	s.Attributes = []mapping.Attribute{{Key: bad, Value: bad}, {Key: "list", Value: []string{bad}}}
	s.Events = []mapping.SpanEvent{{Name: bad, Time: epoch, Attributes: []mapping.Attribute{{Key: "e", Value: bad}}}}
	run(t, o, hang, tr)
	if len(r.Spans()) != 3 {
		t.Fatalf("%d spans", len(r.Spans()))
	}
	got := r.Spans()[2]
	value, _ := got.Attr(good)
	list, _ := got.Attr("list")
	want := []string{good, good, good, "[" + good + "]", good, good, good, good}
	if diff := cmp.Diff(want, []string{got.Name, got.Status.Message, value, list, got.Events[0].Name, otlptest.Text(got.Events[0].Attributes[0].Value), got.Resource["service.name"], got.Resource["k"]}); diff != "" {
		t.Error(diff)
	}
}

func TestNotSampled(t *testing.T) {
	t.Parallel()
	unsampled := inbound
	unsampled.Sampled = false
	for name, c := range map[string]struct {
		env      env
		tree     mapping.Tree
		exported bool
	}{
		"inbound flag 00":                     {nil, under(tree(1, 1), unsampled), false},
		"inbound flag 01":                     {nil, under(tree(1, 1), inbound), true},
		"flag 00 but always on":               {env{"OTEL_TRACES_SAMPLER": "always_on"}, under(tree(1, 1), unsampled), true},
		"always off":                          {env{"OTEL_TRACES_SAMPLER": "always_off"}, tree(1, 1), false},
		"always off, flag 01":                 {env{"OTEL_TRACES_SAMPLER": "always_off"}, under(tree(1, 1), inbound), false},
		"parent based, off":                   {env{"OTEL_TRACES_SAMPLER": "parentbased_always_off"}, tree(1, 1), false},
		"parent based, off, flag 01":          {env{"OTEL_TRACES_SAMPLER": "parentbased_always_off"}, under(tree(1, 1), inbound), true},
		"ratio 0":                             {env{"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0"}, tree(1, 1), false},
		"ratio 1":                             {env{"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "1.0"}, tree(1, 1), true},
		"parent based ratio 0":                {env{"OTEL_TRACES_SAMPLER": " ParentBased_TraceIDRatio ", "OTEL_TRACES_SAMPLER_ARG": "0"}, tree(1, 1), false},
		"ratio no number is 1":                {env{"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "x"}, tree(1, 1), true},
		"unknown sampler is the default":      {env{"OTEL_TRACES_SAMPLER": "jaeger_remote"}, tree(1, 1), true},
		"unknown sampler still obeys flag 00": {env{"OTEL_TRACES_SAMPLER": "jaeger_remote"}, under(tree(1, 1), unsampled), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, path := toFile(t)
			o.Getenv = c.env.get
			e := one(t, run(t, o, hang, c.tree))
			want := exporter.ExporterReport{Name: "file", NotSampled: 3}
			if c.exported {
				want = exporter.ExporterReport{Name: "file", Exported: 3}
			}
			if diff := cmp.Diff(want, e); diff != "" {
				t.Error(diff)
			}
			if _, err := os.Stat(path); (err == nil) != c.exported {
				t.Errorf("file: %v", err)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	o, _ := toFile(t)
	o.Getenv = env{
		"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "3", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "4", "OTEL_SPAN_EVENT_COUNT_LIMIT": "1",
		"OTEL_SPAN_LINK_COUNT_LIMIT": "many",
	}.get
	tr := tree(1, 0)
	tr.Spans[0].Events = append(tr.Spans[0].Events, mapping.SpanEvent{Name: "second", Time: epoch})
	root := exported(t, o, tr)[0]
	operation, _ := root.Attr(mapping.KeyOperation)
	if len(root.Attributes) != 3 || root.DroppedAttributesCount != 2 || operation != "invo" || len(root.Events) != 1 || root.Events[0].Name != "second" {
		t.Errorf("%v", root.Span)
	}
	warnings, err := exporter.Check(o)
	if diff := cmp.Diff([]string{`OTEL_SPAN_LINK_COUNT_LIMIT: "many" is no whole number; ignored`}, warnings); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestResource(t *testing.T) {
	t.Parallel()
	attr := func(k, v string) mapping.Attribute { return mapping.Attribute{Key: k, Value: v} }
	o, _ := toFile(t)
	o.Getenv = env{"OTEL_RESOURCE_ATTRIBUTES": "service.name=from-attributes,given=env,only=%C3%A4%20b,default=env, spaced = x ,"}.get
	o.DefaultResource = func() []mapping.Attribute {
		return []mapping.Attribute{attr("service.name", "guessed"), attr("default", "default"), attr("host.name", "h")}
	}
	o.Resource = []mapping.Attribute{attr("given", "config")}
	o.Filter.Resource = func(attrs []mapping.Attribute) []mapping.Attribute { return append(attrs, attr("filtered", "yes")) }
	got := exported(t, o, tree(1, 0))[0].Resource
	want := map[string]string{
		"service.name": "from-attributes", "given": "config", "only": "ä b", "default": "env", "spaced": "x", "host.name": "h", "filtered": "yes",
		"telemetry.sdk.language": "go", "telemetry.sdk.name": "opentelemetry", "telemetry.sdk.version": got["telemetry.sdk.version"],
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct{ variable, given, want string }{{"from-variable", "", "from-variable"}, {"from-variable", "from-config", "from-config"}, {"", "", "guessed"}} {
		o, _ := toFile(t)
		o.DefaultResource = func() []mapping.Attribute { return []mapping.Attribute{attr("service.name", "guessed")} }
		o.Getenv = env{"OTEL_SERVICE_NAME": c.variable}.get
		o.ServiceName = c.given
		if got := exported(t, o, tree(1, 0))[0].Resource["service.name"]; got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// Malformed pairs are said to be there, without being repeated: they may be anything.
func TestResourceWarnings(t *testing.T) {
	t.Parallel()
	o, _ := toFile(t)
	o.Getenv = env{"OTEL_RESOURCE_ATTRIBUTES": "a=1,secret,=x,b=100%"}.get
	warnings, err := exporter.Check(o)
	want := []string{
		"OTEL_RESOURCE_ATTRIBUTES: entry 2 is not key=value; ignored",
		"OTEL_RESOURCE_ATTRIBUTES: entry 3 is not key=value; ignored",
		"OTEL_RESOURCE_ATTRIBUTES: the value of entry 4 has a % that is no percent-encoding; ignored",
	}
	if diff := cmp.Diff(want, warnings, protocmp.Transform()); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
