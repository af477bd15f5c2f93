package stream

import (
	"strings"
	"testing"

	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

// headOf is the head of a line as decoding tells it.
func headOf(line []byte) Head {
	var d Decoder
	e, _ := d.Decode(line)
	return Head{Kind: e.Kind, TaskID: e.TaskID, Workflow: e.Kind == mapping.Started && e.TaskType == "local_workflow"}
}

func checkHead(t *testing.T, line []byte) {
	t.Helper()
	var d Decoder
	got, want := d.Peek(line), headOf(line)
	got.snapshot, got.usage, got.summary = false, false, false
	if want.Kind == 0 || got.Kind == mapping.Initialized {
		want.TaskID = got.TaskID // is of no use then
	}
	if want.Kind == 0 && got.TaskID == "" {
		want.Kind = got.Kind // an event of no task
	}
	if got != want {
		t.Errorf("%s\n\tgot %+v, want %+v", line, got, want)
	}
}

func TestPeekOnCaptures(t *testing.T) {
	t.Parallel()
	for _, c := range testdata.Captures() {
		lines, err := c.Lines()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			checkHead(t, line)
		}
	}
}

func TestPeekOnChurn(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		for _, line := range newChurn(seed).lines(40) {
			if _, v := new(Decoder).Decode(line); v != Unparsable {
				checkHead(t, line)
			}
		}
	}
}

func TestPeekFindsTheEndOfTheSnapshot(t *testing.T) {
	t.Parallel()
	for _, list := range []string{
		`[]`, `[ ]`, `[null]`, `[[],[[]]]`, `[{"a":[{"b":1}],"c":2}]`, `[{"label":"x}],"},{"label":"]"}]`, `["]","],","]}"]`, `[{"],":"],"}]`,
		`[{"label":"}],\"subtype\":\"task_notification\"}"}]`, `[` + strings.Repeat(`["]}"],`, 100) + `{}]`,
	} {
		for _, tail := range []string{`}`, ` , "uuid" : "]" } `, `,"x":[{"y":[]}],"z":{}}`, `,"subtype":"task_updated"}`, `,"workflow_progress":[1]}`} {
			line := []byte(`{"type":"system","subtype":"task_progress","task_id":"t1","workflow_progress":` + list + tail)
			checkHead(t, line)
		}
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	const head, list = `{"type":"system","subtype":"task_progress","task_id":"t1"`, `,"workflow_progress":[{"type":"workflow_agent","index":1}]`
	for _, tt := range []struct {
		newer, older string
		want         bool
	}{
		{"", "", true},
		{list, list, true},
		{list, "", true},
		{"", list, false},
		{`,"workflow_progress":[]`, list, false},
		{`,"workflow_progress":[ ]`, list, false},
		{`,"workflow_progress":null`, list, false},
		{list, list + `,"usage":{}`, false},
		{list + `,"usage":{}`, list + `,"usage":{}`, true},
		{list + `,"usage":null`, list + `,"usage":{}`, false},
		{list, list + `,"summary":"x"`, false},
		{`,"summary":"x","usage":{}` + list, list, true},
	} {
		var d Decoder
		newer, older := d.Peek([]byte(head+tt.newer+"}")), d.Peek([]byte(head+tt.older+"}"))
		if newer.Kind != mapping.Progress || older.Kind != mapping.Progress {
			t.Fatalf("%q or %q is no progress", tt.newer, tt.older)
		}
		if got := newer.Covers(older); got != tt.want {
			t.Errorf("%q covers %q: %v, want %v", tt.newer, tt.older, got, tt.want)
		}
	}
}

func BenchmarkPeek(b *testing.B) {
	line := snapshotLine(1000, 3)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	var d Decoder
	for b.Loop() {
		if h := d.Peek(line); h.Kind != mapping.Progress {
			b.Fatal(h)
		}
	}
}
