package stream

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/mapping"
)

func num(v int64) mapping.Number { return mapping.Number{Value: v, Valid: true} }

func TestDecode(t *testing.T) {
	t.Parallel()
	ms := func(v int64) time.Time { return time.UnixMilli(v).UTC() }
	for name, tt := range map[string]struct {
		line string
		want mapping.Event
	}{
		"init": {
			`{"type":"system","subtype":"init","cwd":"/srv","session_id":"s1","tools":["Task"]}`,
			mapping.Event{Kind: mapping.Initialized, SessionID: "s1"},
		},
		"started": {
			`{"type":"system","subtype":"task_started","task_id":"t1","tool_use_id":"u1","description":"d","task_type":"local_workflow","workflow_name":"w","prompt":"a\nb","uuid":"x","session_id":"s1"}`,
			mapping.Event{Kind: mapping.Started, SessionID: "s1", TaskID: "t1", ToolUseID: "u1", Description: "d", TaskType: "local_workflow", WorkflowName: "w", Script: "a\nb"},
		},
		"started, of cbc, with its clock": {
			`{"type":"system","subtype":"task_started","task_id":"t1","task_type":"local_workflow","workflow_name":"path:a.workflow.js","__timestamp":"2026-12-01T21:33:19.784Z","_requestId":"r"}`,
			mapping.Event{Kind: mapping.Started, TaskID: "t1", TaskType: "local_workflow", WorkflowName: "path:a.workflow.js", Timestamp: time.Date(2026, 12, 1, 21, 33, 19, 784e6, time.UTC)},
		},
		"started, with a run id": {
			`{"type":"system","subtype":"task_started","task_id":"t1","task_type":"local_workflow","run_id":"wf_1"}`,
			mapping.Event{Kind: mapping.Started, TaskID: "t1", TaskType: "local_workflow", RunID: "wf_1"},
		},
		"launched": {
			`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"u1"}]},"session_id":"s1","tool_use_result":{"status":"async_launched","taskId":"t1","runId":"wf_1","summary":"x"}}`,
			mapping.Event{Kind: mapping.Launched, SessionID: "s1", TaskID: "t1", RunID: "wf_1"},
		},
		"progress, whole": {
			`{"type":"system","subtype":"task_progress","task_id":"t1","usage":{"total_tokens":7,"tool_uses":0,"duration_ms":112},"summary":"s","workflow_progress":[` +
				`{"type":"workflow_phase","index":1,"title":"Gather"},{"type":"workflow_phase","index":2,"title":"▸ child","kind":"child"},` +
				`{"type":"workflow_agent","index":3,"label":"l","phaseIndex":1,"phaseTitle":"Gather","agentId":"a","model":"m","state":"error","startedAt":1796160376397,"queuedAt":1796160376396,"attempt":2,` +
				`"promptPreview":"p","lastProgressAt":1796160376801,"endedAt":1796160376900,"tokens":1505,"toolCalls":0,"durationMs":400,"resultPreview":"r","error":"e","cached":true,"lastToolName":"Bash",` +
				`"lastToolSummary":"ls","agentType":"Explore","fallbackModel":"f","isolation":"none","lastAttemptReason":"stalled","endedWithRun":"stopped"}],"uuid":"x"}`,
			mapping.Event{
				Kind: mapping.Progress, TaskID: "t1", Summary: "s",
				Usage:  mapping.Usage{TotalTokens: num(7), ToolUses: num(0), DurationMS: num(112)},
				Phases: []mapping.Phase{{Index: 1, Title: "Gather"}, {Index: 2, Title: "▸ child", Kind: "child"}},
				Agents: []mapping.Agent{{
					Index: 3, ID: "a", Label: "l", State: "error", Cached: true, PhaseIndex: num(1), PhaseTitle: "Gather", Model: "m", FallbackModel: "f", Type: "Explore",
					PromptPreview: "p", ResultPreview: "r", Error: "e", EndedWithRun: "stopped", LastTool: "Bash", LastToolNote: "ls", RetryReason: "stalled",
					QueuedAt: ms(1796160376396), StartedAt: ms(1796160376397), EndedAt: ms(1796160376900), LastProgressAt: ms(1796160376801),
					Attempt: num(2), Tokens: num(1505), ToolCalls: num(0), DurationMS: num(400),
				}},
			},
		},
		"progress without a snapshot": {
			`{"type":"system","subtype":"task_progress","task_id":"t1","workflow_agent_tool_calls":[{"index":1,"toolCalls":2}]}`,
			mapping.Event{Kind: mapping.Progress, TaskID: "t1"},
		},
		"progress, task id last": {
			`{"workflow_progress":[{"index":1,"type":"workflow_agent"}],"subtype":"task_progress","type":"system","task_id":"t1"}`,
			mapping.Event{Kind: mapping.Progress, TaskID: "t1", Agents: []mapping.Agent{{Index: 1}}},
		},
		"updated": {
			`{"type":"system","subtype":"task_updated","task_id":"t1","patch":{"status":"failed","end_time":1796160378665,"error":"Error: boom\n  at x"}}`,
			mapping.Event{Kind: mapping.Updated, TaskID: "t1", Status: "failed", EndTime: ms(1796160378665), Error: "Error: boom\n  at x"},
		},
		"notification": {
			`{"type":"system","subtype":"task_notification","task_id":"t1","status":"completed","output_file":"","summary":"Dynamic \"x\"","usage":{"total_tokens":1}}`,
			mapping.Event{Kind: mapping.Notified, TaskID: "t1", Status: "completed", Summary: `Dynamic "x"`, Usage: mapping.Usage{TotalTokens: num(1)}},
		},
		"keys in another order": {
			` { "session_id" : "s1" , "status" : "stopped" , "task_id" : "t1" , "subtype" : "task_notification" , "type" : "system" } ` + "\r",
			mapping.Event{Kind: mapping.Notified, SessionID: "s1", TaskID: "t1", Status: "stopped"},
		},
		"escaped letters in keys and values": {
			`{"\u0074ype":"s\u0079stem","\u0073ubtype":"task\u005fnotification","task\u005Fid":"\u00741","st\u0061tus":"stopped"}`,
			mapping.Event{Kind: mapping.Notified, TaskID: "t1", Status: "stopped"},
		},
		"the last of two keys counts": {
			`{"type":"assistant","task_id":"t0","usage":{"tool_uses":1},"type":"system","subtype":"task_notification","task_id":"t1","status":"completed","usage":{"total_tokens":2},"status":"failed"}`,
			mapping.Event{Kind: mapping.Notified, TaskID: "t1", Status: "failed", Usage: mapping.Usage{TotalTokens: num(2)}},
		},
		"the last of two keys counts also when it is of no use": {
			`{"type":"system","subtype":"task_updated","task_id":"t1","patch":{"status":"failed","error":"x","error":{"a":1}},"patch":{"status":"killed"}}`,
			mapping.Event{Kind: mapping.Updated, TaskID: "t1", Status: "killed"},
		},
		"the last of two snapshots counts": {
			`{"type":"system","subtype":"task_progress","task_id":"t1","workflow_progress":[{"type":"workflow_agent","index":1}],"workflow_progress":[{"type":"workflow_agent","index":2,"index":3}]}`,
			mapping.Event{Kind: mapping.Progress, TaskID: "t1", Agents: []mapping.Agent{{Index: 3}}},
		},
		"values of other types are absent": {
			`{"type":"system","subtype":"task_notification","task_id":"t1","session_id":5,"tool_use_id":["x"],"status":{"a":"b"},"summary":null,"usage":"none","__timestamp":17}`,
			mapping.Event{Kind: mapping.Notified, TaskID: "t1"},
		},
		"objects of other types are absent": {
			`{"type":"system","subtype":"task_progress","task_id":"t1","usage":[1],"workflow_progress":{"type":"workflow_agent","index":1}}`,
			mapping.Event{Kind: mapping.Progress, TaskID: "t1"},
		},
		"bad text becomes U+FFFD": {
			`{"type":"system","subtype":"task_notification","task_id":"t1","summary":"a\ud83d b` + "\xff\xfe" + ` \ud83d\ude00 \udc00\ud800\u0041 \ud800\ud83d\ude00","status":"é\u00e9\u0000\b\f\n\r\t\/\\\""}`,
			mapping.Event{Kind: mapping.Notified, TaskID: "t1", Summary: "a\uFFFD b\uFFFD\uFFFD 😀 \uFFFD\uFFFDA \uFFFD😀", Status: "éé\x00\b\f\n\r\t/\\\""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !MayMatter([]byte(tt.line)) {
				t.Error("MayMatter would skip it")
			}
			var d Decoder
			got, verdict := d.Decode([]byte(tt.line))
			if verdict != Decoded {
				t.Fatalf("verdict %v", verdict)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeEntries(t *testing.T) {
	t.Parallel()
	ms := func(v int64) time.Time { return time.UnixMilli(v).UTC() }
	for name, tt := range map[string]struct {
		entries string
		agents  []mapping.Agent
		phases  []mapping.Phase
	}{
		"none":                      {entries: ``},
		"malformed ones alone":      {entries: `null,"bad",{"type":"unknown","index":1},{"type":"workflow_agent"},[],[{"type":"workflow_agent","index":1}],7,true,{},{"type":"workflow_agent","index":2}`, agents: []mapping.Agent{{Index: 2}}},
		"a phase without an index":  {entries: `{"type":"workflow_phase","title":"x"}`},
		"the index a string":        {entries: `{"type":"workflow_agent","index":"1"}`},
		"the index with a fraction": {entries: `{"type":"workflow_agent","index":1.5}`},
		"the index beyond an int64": {entries: `{"type":"workflow_agent","index":1e300}`},
		"the index as a float":      {entries: `{"type":"workflow_agent","index":1.0},{"type":"workflow_phase","index":2e0}`, agents: []mapping.Agent{{Index: 1}}, phases: []mapping.Phase{{Index: 2}}},
		"strings for numbers":       {entries: `{"type":"workflow_agent","index":1,"startedAt":"1796160376397","tokens":"5","attempt":null,"toolCalls":[1],"durationMs":{},"phaseIndex":"1"}`, agents: []mapping.Agent{{Index: 1}}},
		"numbers for strings":       {entries: `{"type":"workflow_agent","index":1,"label":5,"state":1,"model":null,"agentId":true,"cached":"true"}`, agents: []mapping.Agent{{Index: 1}}},
		"odd numbers": {
			entries: `{"type":"workflow_agent","index":1,"tokens":12.9,"toolCalls":-3,"durationMs":1e300,"attempt":-0.0,"phaseIndex":1.5}`,
			agents:  []mapping.Agent{{Index: 1, Tokens: num(12), ToolCalls: num(-3), Attempt: num(0)}},
		},
		"numbers at the edge": {
			entries: `{"type":"workflow_agent","index":9223372036854775807,"tokens":9223372036854775808,"toolCalls":-9223372036854775808,"durationMs":1e18}`,
			agents:  []mapping.Agent{{Index: 1<<63 - 1, ToolCalls: num(-1 << 63), DurationMS: num(1e18)}},
		},
		"times that are none": {
			entries: `{"type":"workflow_agent","index":1,"startedAt":0,"queuedAt":-1,"endedAt":1e300,"lastProgressAt":1796160376},{"type":"workflow_agent","index":2,"startedAt":4133980799999,"queuedAt":4133980800000,"endedAt":978307200000,"lastProgressAt":978307199999}`,
			agents:  []mapping.Agent{{Index: 1}, {Index: 2, StartedAt: ms(4133980799999), EndedAt: ms(978307200000)}},
		},
		"times with a fraction": {
			entries: `{"type":"workflow_agent","index":1,"startedAt":1796160376397.9,"queuedAt":1.796160376397e12}`,
			agents:  []mapping.Agent{{Index: 1, StartedAt: ms(1796160376397), QueuedAt: ms(1796160376397)}},
		},
		"the same index twice": {
			entries: `{"type":"workflow_agent","index":1,"state":"start"},{"type":"workflow_agent","index":1,"state":"done"}`,
			agents:  []mapping.Agent{{Index: 1, State: "start"}, {Index: 1, State: "done"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := `{"type":"system","subtype":"task_progress","task_id":"t1","workflow_progress":[` + tt.entries + `],"uuid":"x"}`
			var d Decoder
			got, verdict := d.Decode([]byte(line))
			if verdict != Decoded {
				t.Fatalf("verdict %v", verdict)
			}
			want := mapping.Event{Kind: mapping.Progress, TaskID: "t1", Agents: tt.agents, Phases: tt.phases}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeNoEvent(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 1<<20)
	for name, tt := range map[string]struct {
		line string
		want Verdict
	}{
		"blank":                   {" \r", Ignored},
		"empty":                   {"", Ignored},
		"another type":            {`{"type":"assistant","subtype":"task_started","task_id":"t1"}`, Ignored},
		"another subtype":         {`{"type":"system","subtype":"task_paused","task_id":"t1"}`, Ignored},
		"no type":                 {`{"subtype":"task_started","task_id":"t1"}`, Ignored},
		"type not a string":       {`{"type":{"type":"system"},"subtype":"task_started","task_id":"t1"}`, Ignored},
		"no task id":              {`{"type":"system","subtype":"task_started"}`, Ignored},
		"empty task id":           {`{"type":"system","subtype":"task_started","task_id":""}`, Ignored},
		"a task id without end":   {`{"type":"system","subtype":"task_started","task_id":"` + strings.Repeat("x", maxText+1) + `"}`, Ignored},
		"event inside a value":    {`{"type":"user","message":{"type":"system","subtype":"task_started","task_id":"t1"}}`, Ignored},
		"result of another tool":  {`{"type":"user","tool_use_result":{"taskId":"t1"}}`, Ignored},
		"result that is a string": {`{"type":"user","tool_use_result":"runId wf_1 taskId t1"}`, Ignored},
		"case matters":            {`{"Type":"system","subtype":"task_started","task_id":"t1"}`, Ignored},
		"control response":        {`{"type":"control_response","subtype":"task_started","task_id":"t1","response":{"account":{"token":"x"}}}`, Ignored},
		"text":                    {`starting "task_started"`, Unparsable},
		"cut off":                 {`{"type":"system","subtype":"task_started","task_id":"t1"`, Unparsable},
		"two on a line":           {`{"type":"system","subtype":"init"}{"type":"system","subtype":"init"}`, Unparsable},
		"trailing comma":          {`{"type":"system","subtype":"init",}`, Unparsable},
		"trailing comma in list":  {`{"type":"system","subtype":"init","tools":[1,]}`, Unparsable},
		"single quotes":           {`{'type':'system'}`, Unparsable},
		"control character":       {"{\"type\":\"system\",\"subtype\":\"init\",\"x\":\"a\x01\"}", Unparsable},
		"bad escape":              {`{"type":"system","subtype":"init","x":"\x41"}`, Unparsable},
		"bad number":              {`{"type":"system","subtype":"init","x":01}`, Unparsable},
		"bad literal":             {`{"type":"system","subtype":"init","x":nul}`, Unparsable},
		"an array":                {`[{"type":"system","subtype":"init"}]`, Unparsable},
		"brackets without end":    {`{"type":"system","x":` + deep, Unparsable},
		"mismatched brackets":     {`{"type":"system","x":[{]}}`, Unparsable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d Decoder
			got, verdict := d.Decode([]byte(tt.line))
			if diff := cmp.Diff(mapping.Event{}, got); verdict != tt.want || diff != "" {
				t.Errorf("verdict %v, want %v, event:\n%s", verdict, tt.want, diff)
			}
		})
	}
}

func TestDecodeTimestampOfAnyLine(t *testing.T) {
	t.Parallel()
	want := mapping.Event{Timestamp: time.Date(2026, 12, 1, 21, 33, 19, 784e6, time.UTC)}
	var d Decoder
	got, verdict := d.Decode([]byte(`{"type":"assistant","message":{},"__timestamp":"2026-12-01T21:33:19.784Z"}`))
	if diff := cmp.Diff(want, got); verdict != Ignored || diff != "" {
		t.Errorf("verdict %v, event (-want +got):\n%s", verdict, diff)
	}
}

// An event must not keep the buffer of its line alive, nor change when it is used again.
func TestDecodeCopies(t *testing.T) {
	t.Parallel()
	line := []byte(`{"type":"system","subtype":"task_progress","task_id":"t1","summary":"s","workflow_progress":[{"type":"workflow_agent","index":1,"label":"l","state":"done"},{"type":"workflow_phase","index":1,"title":"p"}]}`)
	var d, fresh Decoder
	got, _ := d.Decode(line)
	want, _ := fresh.Decode([]byte(string(line)))
	for i := range line {
		line[i] = '!'
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the event changed with its line (-want +got):\n%s", diff)
	}
}

func TestLongTextIsCut(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"plain": strings.Repeat("a", 1<<20), "wide": strings.Repeat("é", 1<<20), "escaped": strings.Repeat(`\u00e9`, 1<<18)} {
		var d Decoder
		e, _ := d.Decode([]byte(`{"type":"system","subtype":"task_notification","task_id":"t1","summary":"` + text + `"}`))
		if n := len(e.Summary); n < maxText || n > maxText+4 || strings.ContainsRune(e.Summary, '\uFFFD') {
			t.Errorf("%s: %d bytes of summary, want about %d, and no half characters", name, n, maxText)
		}
	}
}
