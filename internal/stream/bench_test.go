package stream

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// snapshotLine is a progress line of n agents, as Claude Code sends it, after so many changes.
func snapshotLine(n, changes int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"type":"system","subtype":"task_progress","task_id":"w1","tool_use_id":"toolu_1","description":"Gather: agent","usage":{"total_tokens":%d,"tool_uses":3,"duration_ms":112},"summary":"s","workflow_progress":[`, changes)
	b.WriteString(`{"type":"workflow_phase","index":1,"title":"Gather"}`)
	for i := 1; i <= n; i++ {
		state, more := "start", ""
		if i <= changes%(n+1) {
			state, more = "done", `,"tokens":1505,"toolCalls":2,"durationMs":400,"resultPreview":"The module holds three findings: \"a\", b and c."`
		}
		fmt.Fprintf(&b, `,{"type":"workflow_agent","index":%d,"label":"gather:%d","phaseIndex":1,"phaseTitle":"Gather","agentId":"aa47448e06f2fb%04d","model":"claude-sonnet-4-5","state":%q,`+
			`"startedAt":1796160376397,"queuedAt":1796160376396,"attempt":1,"promptPreview":"look at module %d of the repository and say what could be better in it, in three sentences at most","lastProgressAt":1796160376801%s}`, i, i, i, state, i, more)
	}
	fmt.Fprintf(&b, `],"uuid":"09d0dc36-7e56-469e-9ac8-%012d","session_id":"a6058221-2879-46ae-b25a-7be3ba8080a4"}`, changes)
	return b.Bytes()
}

func BenchmarkDecode(b *testing.B) {
	for _, agents := range []int{10, 100, 1000} {
		var lines [][]byte
		for i := range 64 {
			lines = append(lines, snapshotLine(agents, agents/2+i%(agents/2)))
		}
		b.Run(fmt.Sprintf("whole/agents=%d", agents), func(b *testing.B) {
			b.SetBytes(int64(len(lines[0])))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				var d Decoder
				if _, v := d.Decode(lines[i%len(lines)]); v != Decoded {
					b.Fatal(v)
				}
			}
		})
		b.Run(fmt.Sprintf("changed/agents=%d", agents), func(b *testing.B) {
			b.SetBytes(int64(len(lines[0])))
			b.ReportAllocs()
			var d Decoder
			for i := 0; b.Loop(); i++ {
				if e, v := d.Decode(lines[i%len(lines)]); v != Decoded || i > 64 && len(e.Agents) > 64 {
					b.Fatal(v, len(e.Agents))
				}
			}
		})
		b.Run(fmt.Sprintf("taken/agents=%d", agents), func(b *testing.B) {
			b.SetBytes(int64(len(lines[0])))
			b.ReportAllocs()
			var d Decoder
			mine := make([][]byte, len(lines))
			for i := range lines {
				mine[i] = bytes.Clone(lines[i])
			}
			for i := 0; b.Loop(); i++ {
				_, _, _ = d.DecodeTake(mine[i%len(mine)]) // the memory stays ours: nothing writes to it
			}
		})
	}
}

func BenchmarkMayMatter(b *testing.B) {
	prose := strings.Repeat(`The quick brown fox jumps over the lazy dog; she said \"hello\"\nand went on. `, 200)
	for name, line := range map[string][]byte{
		"prose":    []byte(`{"type":"assistant","message":{"content":[{"type":"text","text":"` + prose + `"}]}}`),
		"json":     []byte(`{"type":"user","message":` + strings.Repeat(`{"tool_use_id":"toolu_01","type":"tool_result","content":"ok","is_error":false},`, 200) + `}`),
		"base64":   []byte(`{"type":"user","data":"` + strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", 300) + `"}`),
		"snapshot": snapshotLine(1000, 3),
		"short":    []byte(`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" world"}}}`),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				MayMatter(line)
			}
		})
	}
}

func BenchmarkSplitter(b *testing.B) {
	talk := bytes.Repeat([]byte(`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" world"}}}`+"\n"), 600)
	snapshot := append(snapshotLine(1000, 3), '\n')
	result := append([]byte(`{"type":"user","content":"`+strings.Repeat("x y z ", 1<<20)+`"}`), '\n')
	yield := func([]byte, time.Time) {}
	for name, text := range map[string][]byte{"talk": talk, "snapshot": snapshot, "result": result} {
		for way, write := range map[string]func(*Splitter, []byte, time.Time, Yield){"all": (*Splitter).Write, "matching": (*Splitter).WriteMatching} {
			b.Run(name+"/"+way, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				var s Splitter
				for b.Loop() {
					for rest := text; len(rest) > 0; {
						n := min(len(rest), 64<<10)
						write(&s, rest[:n], time.Time{}, yield)
						rest = rest[n:]
					}
				}
			})
		}
	}
}
