package stream

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/internal/testdata"
)

// FuzzDecoder compares the Decoder with encoding/json on whatever line.
func FuzzDecoder(f *testing.F) {
	for _, line := range []string{
		`{"type":"system","subtype":"task_progress","task_id":"t","usage":{"total_tokens":1e3},"workflow_progress":[null,"bad",{"type":"unknown"},{"type":"workflow_agent"},{"type":"workflow_agent","index":1,"tokens":-1.5e300,"startedAt":1796160376397,"label":"\ud83d"},{"type":"workflow_phase","index":1.0,"title":"x"}]}`,
		`{"type":"system","subtype":"task_updated","task_id":"t","patch":{"status":"failed","end_time":1796160378665,"error":"a\nb"}}`,
		`{"type":"system","subtype":"task_notification","task_id":"t","status":"stopped","usage":{"tool_uses":9223372036854775808},"__timestamp":"2026-12-01T21:33:19.784+02:00"}`,
		`{"\u0074ype":"user","tool_use_result":{"taskId":"t","runId":"wf_1"},"type":"user"}`,
		` {"a":[{"b":[[],{},""]},-0.5E-7,true,false,null]} `,
		"{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"\xff\xc3(\xed\xa0\x80\"}",
		`{"type":"system","subtype":"init"}x`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) { checkAgainstOracle(t, line) })
}

func checkAgainstOracle(t *testing.T, line []byte) {
	t.Helper()
	var d Decoder
	got, verdict := d.Decode(line)
	want, wantVerdict := oracle(line)
	if verdict != wantVerdict {
		t.Fatalf("%q: verdict %v, encoding/json says %v", line, verdict, wantVerdict)
	}
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%q: event (-encoding/json +got):\n%s", line, cmp.Diff(want, got))
	}
	if verdict == Decoded && !MayMatter(line) {
		t.Errorf("%q: holds an event, but MayMatter would skip it", line)
	}
}

func TestCapturesAgainstOracle(t *testing.T) {
	t.Parallel()
	for _, c := range testdata.Captures() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			lines, err := c.Lines()
			if err != nil {
				t.Fatal(err)
			}
			events := 0
			for _, line := range lines {
				checkAgainstOracle(t, line)
				if _, v := oracle(line); v == Decoded {
					events++
				}
			}
			if events < 2 {
				t.Errorf("%d events in %d lines: the test shows nothing", events, len(lines))
			}
		})
	}
}

// Most of what an agent CLI says is of no interest, and must be cheap.
func TestMayMatterSkips(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"text":                  `plain text with "words"`,
		"text before an event":  `text {"type":"system","subtype":"task_started","task_id":"t"}`,
		"an answer":             `{"type":"assistant","message":{"content":[{"type":"text","text":"subtype task_started init"}]},"session_id":"s"}`,
		"a result":              `{"is_error":false,"subtype":"success","type":"result","usage":{}}`,
		"other escapes":         `{"type":"assistant","text":"\u001b[31m \u003cb\u003e \u2028 \ud83d\ude00"}`,
		"a tool's result":       `{"type":"user","tool_use_result":{"stdout":"x"}}`,
		"event quoted in text":  `{"type":"assistant","text":"{\"type\":\"system\",\"subtype\":\"task_started\",\"task_id\":\"t\"}"}`,
		"an escape is cut off":  `{"text":"\u00`,
		"result quoted in text": `{"type":"user","text":"\"tool_use_result\" \"runId\""}`,
		"empty":                 ``,
	} {
		if MayMatter([]byte(line)) {
			t.Errorf("%s: %s may matter", name, line)
		}
	}
}
