package exporter

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"cbc-otel/exporter/otlpjson"
	"cbc-otel/mapping"
)

func benchmarkTree(agents int) mapping.Tree {
	start := time.Unix(1_800_000_000, 0)
	t := mapping.Tree{Spans: []mapping.Span{{TraceID: mapping.TraceID{1}, SpanID: mapping.SpanID{1}, Name: "invoke_workflow audit", Start: start, End: start}}}
	for i := range agents {
		t.Spans = append(t.Spans, mapping.Span{
			TraceID: mapping.TraceID{1}, SpanID: mapping.SpanID{2, byte(i >> 8), byte(i)}, ParentID: mapping.SpanID{1},
			Name: fmt.Sprintf("invoke_agent scout-%d", i), Start: start, End: start.Add(time.Second),
			Attributes: []mapping.Attribute{
				{Key: mapping.KeyOperation, Value: mapping.InvokeAgent}, {Key: mapping.KeyAgentName, Value: "scout"}, {Key: mapping.KeyConversation, Value: "0123456789abcdef"},
				{Key: mapping.KeyWorkflowName, Value: "audit"}, {Key: mapping.KeyModel, Value: "some-model"}, {Key: mapping.KeyAgentID, Value: "v2:0123456789"},
				{Key: mapping.KeyAgentIndex, Value: int64(i)}, {Key: mapping.KeyAgentState, Value: "done"}, {Key: mapping.KeyAgentStarted, Value: true},
				{Key: mapping.KeyAgentAttempt, Value: int64(1)}, {Key: mapping.KeyAgentTokens, Value: int64(12345)}, {Key: mapping.KeyAgentQueue, Value: int64(12)},
			},
		})
	}
	return t
}

func benchmarkBuilder(b *testing.B) *builder {
	o := Options{Getenv: func(string) string { return "" }, Exporters: []string{"file"}, File: "x"}
	o.defaults()
	_, s, err := resolve(&o)
	if err != nil {
		b.Fatal(err)
	}
	return newBuilder(o, s)
}

// BenchmarkBuild makes batches of a tree of 1,000 agents.
func BenchmarkBuild(b *testing.B) {
	t, builder := benchmarkTree(1000), benchmarkBuilder(b)
	b.ReportAllocs()
	for b.Loop() {
		if out, err := builder.build(t); err != nil || len(out.batches) != 2 {
			b.Fatalf("%+v, %v", out, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(t.Spans)), "ns/span")
}

// BenchmarkEncode writes what BenchmarkBuild makes.
func BenchmarkEncode(b *testing.B) {
	out, err := benchmarkBuilder(b).build(benchmarkTree(500))
	if err != nil {
		b.Fatal(err)
	}
	batch := out.batches[0]
	b.Run("json", func(b *testing.B) {
		b.ReportAllocs()
		var line []byte
		for b.Loop() {
			line = otlpjson.Append(line[:0], batch.Data)
		}
		b.SetBytes(int64(len(line)))
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch.Spans), "ns/span")
	})
	b.Run("protobuf", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := proto.Marshal(batch.Data); err != nil {
				b.Fatal(err)
			}
		}
		b.SetBytes(int64(batch.Bytes))
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch.Spans), "ns/span")
	})
}
