package tap

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"cbc-otel/mapping"
)

// bigWorkflow is the stream of one workflow of n agents, each of which gets done in a snapshot of its own.
func bigWorkflow(n int) []byte {
	var out bytes.Buffer
	out.WriteString(started)
	for done := range n {
		fmt.Fprintf(&out, `{"type":"system","subtype":"task_progress","task_id":"t1","usage":{"total_tokens":%d},"summary":"s","workflow_progress":[{"type":"workflow_phase","index":1,"title":"Gather"}`, done)
		for i := range n {
			state, more := "start", ""
			if i <= done {
				state, more = "done", `,"tokens":1505,"toolCalls":2,"durationMs":400,"resultPreview":"The module holds three findings: a, b and c."`
			}
			fmt.Fprintf(&out, `,{"type":"workflow_agent","index":%d,"label":"gather:%d","phaseIndex":1,"phaseTitle":"Gather","agentId":"aa47448e06f2fb%04d","model":"claude-sonnet-4-5","state":%q,`+
				`"startedAt":1796160376397,"queuedAt":1796160376396,"attempt":1,"promptPreview":"look at module %d of the repository and say what could be better in it, in three sentences at most","lastProgressAt":1796160376801%s}`, i+1, i+1, i+1, state, i+1, more)
		}
		fmt.Fprintf(&out, `],"uuid":"09d0dc36-7e56-469e-9ac8-%012d","session_id":"s"}`+"\n", done)
	}
	out.WriteString(notified)
	return out.Bytes()
}

func BenchmarkTap(b *testing.B) {
	talk := `{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" world"}}}` + "\n"
	for _, bb := range []struct {
		name string
		in   []byte
	}{
		{"talk", []byte(strings.Repeat(talk, 100_000))},
		{"text", []byte(strings.Repeat("The quick brown fox jumps over the lazy dog, unless the dog is quick too.\n", 200_000))},
		{"agents=10", bytes.Repeat(bigWorkflow(10), 50)},
		{"agents=100", bigWorkflow(100)},
		{"agents=400", bigWorkflow(400)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.in)))
			b.ReportAllocs()
			var skipped, events int64
			for b.Loop() {
				tap := New(Options{Mapper: mapping.New(mapping.Options{Grace: grace})})
				for rest := bb.in; len(rest) > 0; {
					n := min(len(rest), 64<<10)
					tap.Write(rest[:n], time.Now())
					rest = rest[n:]
				}
				stats := tap.Close(mapping.End{})
				skipped += stats.Skipped
				events += stats.Events
			}
			b.ReportMetric(float64(skipped)/float64(b.N), "skipped/op")
			b.ReportMetric(float64(events)/float64(b.N), "events/op")
		})
	}
}
