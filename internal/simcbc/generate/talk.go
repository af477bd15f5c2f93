package generate

import (
	"encoding/json"
	"io"
	"strings"
	"time"

	"cbc-otel/internal/simcbc"
	"cbc-otel/internal/simcbc/wire"
)

// words make up all prose; some need escapes, some are not ASCII.
var words = strings.Fields(`the of a to in is file test line error agent result check build path "quoted" naïve ` +
	`module función 文件 \n {"type": review change commit branch slow value state 🙂 done open close <b> & parse`)

// prose gives at least n bytes of words.
func (g *writer) prose(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[g.rng.IntN(len(words))])
		if g.rng.IntN(12) == 0 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// say writes a line of the assistant.
func (g *writer) say(n int) {
	g.line(wire.Message{
		Type: "assistant", SessionID: g.session, UUID: g.uuid(), Stamp: g.stamp(),
		Message: wire.MessageBody{ID: g.uuid(), Type: "message", Role: "assistant", Model: "model", Content: []any{wire.Text{Type: "text", Text: g.prose(n)}}, Usage: &wire.MessageUsage{InputTokens: 1200, OutputTokens: 40}},
	})
}

// Talk writes that many lines, nearly all of the assistant and about 1 KB long, in the way of cbc.
func Talk(w io.Writer, seed uint64, lines int) error {
	g := newWriter(w, simcbc.CBC, seed)
	for i := range lines {
		g.pass(50 * time.Millisecond)
		if i%50 == 49 {
			g.line(wire.Status{Type: "system", Subtype: "status", UUID: g.uuid(), SessionID: g.session, Stamp: g.stamp()})
			continue
		}
		g.say(50 + g.rng.IntN(1200))
	}
	return g.Flush()
}

// Text writes at least that many bytes of plain text in lines of about 80 bytes. They repeat after 4 MB.
func Text(w io.Writer, seed uint64, size int) error {
	g := newWriter(w, simcbc.CBC, seed)
	var block strings.Builder
	for block.Len() < min(size, 4<<20) {
		block.WriteString(strings.ReplaceAll(g.prose(40+g.rng.IntN(80)), "\n", " "))
		block.WriteByte('\n')
	}
	for n := 0; n < size; n += block.Len() {
		g.WriteString(block.String())
	}
	return g.Flush()
}

// ToolResults writes that many tool results of that many bytes each, with small talk between. Every
// other one shows the log of a workflow, so it is full of what looks like events but is quoted.
func ToolResults(w io.Writer, seed uint64, count, size int) error {
	g := newWriter(w, simcbc.CBC, seed)
	for i := range count {
		g.say(300)
		g.toolResult(size, i%2 == 1)
	}
	g.say(300)
	return g.Flush()
}

func (g *writer) toolResult(size int, events bool) {
	text := g.prose(64 << 10)
	if events {
		text = strings.Repeat(`{"type":"system","subtype":"task_progress","task_id":"`+g.uuid()+`","workflow_progress":[{"type":"workflow_agent","index":1}]}`+"\n", 400)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	part := quoted[1 : len(quoted)-1]
	head, tail := around(wire.Message{
		Type: "user", SessionID: g.session, UUID: g.uuid(), Stamp: g.stamp(),
		Message: wire.MessageBody{Role: "user", Content: []any{wire.ToolResult{ToolUseID: "toolu_" + g.hex(20), Type: "tool_result", Content: hole}}},
	})
	g.Write(head)
	g.WriteByte('"')
	for n := 0; n < size; n += len(part) {
		g.Write(part)
	}
	g.WriteByte('"')
	g.Write(tail)
}

// LongLine writes small talk, one tool result of that many bytes, and a workflow of ten agents.
func LongLine(w io.Writer, seed uint64, size int) error {
	g := newWriter(w, simcbc.CBC, seed)
	g.say(300)
	g.toolResult(size, false)
	g.workflow(10)
	g.say(300)
	return g.Flush()
}
