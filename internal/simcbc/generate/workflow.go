package generate

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"cbc-otel/internal/simcbc"
	"cbc-otel/internal/simcbc/wire"
)

// Spec says which workflows to write.
type Spec struct {
	Flavour simcbc.Flavour
	Agents  int
	Repeat  int // workflows, one after the other; 0 is 1
	Seed    uint64
}

// Totals says what was written.
type Totals struct {
	Workflows, Snapshots       int
	Agents, Done, Error, Reuse int
}

// Workflows writes workflows that all complete. Every agent ends, nine of ten done; the rest failed or
// came from a cache.
func Workflows(w io.Writer, s Spec) (Totals, error) {
	if s.Flavour == "" {
		s.Flavour = simcbc.CBC
	}
	g := newWriter(w, s.Flavour, s.Seed)
	var sum Totals
	for range max(s.Repeat, 1) {
		t := g.workflow(s.Agents)
		sum.Workflows++
		sum.Snapshots += t.Snapshots
		sum.Agents += t.Agents
		sum.Done += t.Done
		sum.Error += t.Error
		sum.Reuse += t.Reuse
	}
	return sum, g.Flush()
}

// atOnce is how many agents run at a time.
const atOnce = 16

// flow is a workflow as it is written: the entries of its snapshot, encoded, and what they show.
type flow struct {
	*writer
	taskID, toolUse string
	started         time.Time
	entries         [][]byte // phases, then agents; nil: not listed
	phases          int
	agents          []member
	tokens, tools   int64
	last            int // agent that moved
	Totals
}

type member struct {
	id, label, prompt  string
	state              string
	queued, start, end time.Time
	tokens, tools      int64
}

var phaseTitles = []string{"Gather", "Review", "Write"}

func (g *writer) workflow(agents int) Totals {
	f := &flow{writer: g, taskID: g.uuid(), toolUse: "toolu_" + g.hex(20), phases: len(phaseTitles)}
	if g.flavour == simcbc.Claude {
		f.taskID = "w" + g.hex(8)
	}
	f.begin(agents)
	var running []int
	next := 0
	for next < agents || len(running) > 0 {
		g.pass(time.Duration(5+g.rng.IntN(60)) * time.Millisecond)
		if len(running) == atOnce || next == agents {
			i := g.rng.IntN(len(running))
			f.finish(running[i])
			running = append(running[:i], running[i+1:]...)
			if g.flavour != simcbc.Claude || next == agents {
				f.snapshot()
				continue // cbc tells of the next one's start apart
			}
		}
		if f.launch(next) {
			running = append(running, next)
		}
		next++
		f.snapshot()
		if g.flavour == simcbc.Claude && len(running) > 0 && g.rng.IntN(10) < 4 {
			f.advance(running[g.rng.IntN(len(running))])
			f.snapshot()
		}
		if f.Snapshots%7 == 0 {
			g.say(200)
		}
	}
	f.end()
	return f.Totals
}

func (f *flow) begin(agents int) {
	f.started = f.now
	f.entries = make([][]byte, f.phases+agents)
	f.agents = make([]member, agents)
	for i, t := range phaseTitles {
		f.entries[i] = wire.Entry(wire.Phase{Type: "workflow_phase", Index: int64(i + 1), Title: t})
	}
	f.announce()
	for i := range f.agents {
		f.agents[i] = member{
			state: "queued", queued: f.now,
			label:  fmt.Sprintf("item:%d", i+1),
			prompt: fmt.Sprintf("Look at item %d of the fan-out: %s", i+1, strings.TrimSpace(f.prose(40))),
		}
		if f.flavour == simcbc.Claude {
			f.show(i)
		}
	}
	f.Agents = agents
}

// announce writes the lines of the turn that starts the workflow.
func (f *flow) announce() {
	f.line(wire.Init{
		Type: "system", Subtype: "init", CWD: "/srv/repo", SessionID: f.session, UUID: f.uuid(), Model: "model", Tools: []string{"Bash", "Workflow"},
		MCPServers: []string{}, PermissionMode: "bypassPermissions", SlashCommands: []string{}, OutputStyle: "default",
	})
	started := wire.TaskStarted{
		Type: "system", Subtype: "task_started", TaskID: f.taskID, ToolUseID: f.toolUse, Description: "A large workflow",
		TaskType: "local_workflow", WorkflowName: "path:large.workflow.js", UUID: f.uuid(), SessionID: f.session, Stamp: f.stamp(),
	}
	result := wire.Message{
		Type: "user", SessionID: f.session, UUID: f.uuid(), Stamp: f.stamp(),
		Message: wire.MessageBody{Role: "user", Content: []any{wire.ToolResult{ToolUseID: f.toolUse, Type: "tool_result", Content: "Workflow launched in background."}}},
	}
	if f.flavour == simcbc.Claude {
		started.WorkflowName, started.Prompt = "large", f.prose(4000)
		result.ToolUseResult = &wire.ToolUseResult{Status: "async_launched", TaskID: f.taskID, TaskType: "local_workflow", WorkflowName: "large", RunID: "wf_" + f.hex(8) + "-" + f.hex(3), Summary: "A large workflow"}
	}
	f.line(started)
	f.line(result)
}

// launch starts an agent, or says false if it comes from the cache.
func (f *flow) launch(i int) bool {
	a := &f.agents[i]
	a.start = f.now
	a.id = "v2:" + f.hex(64)
	if f.flavour == simcbc.Claude {
		a.id = "a" + f.hex(16)
	}
	if f.rng.IntN(25) == 0 {
		a.state, a.end = "cached", f.now
		f.Reuse++
		f.show(i)
		return false
	}
	a.state = "start"
	f.show(i)
	return true
}

// advance lets a running agent report tokens and a tool.
func (f *flow) advance(i int) {
	a := &f.agents[i]
	a.state = "progress"
	a.tools++
	a.tokens += int64(500 + f.rng.IntN(500))
	f.show(i)
}

func (f *flow) finish(i int) {
	a := &f.agents[i]
	a.end = f.now
	a.tokens += int64(1000 + f.rng.IntN(20_000))
	a.state = "done"
	f.Done++
	if f.rng.IntN(20) == 0 {
		a.state, a.tokens = "error", 0
		f.Done--
		f.Error++
	}
	f.tokens += a.tokens
	f.tools += a.tools
	f.show(i)
}

// show encodes the entry of an agent that changed.
func (f *flow) show(i int) {
	f.last = i
	var e any = f.cbc(i)
	if f.flavour == simcbc.Claude {
		e = f.claude(i)
	}
	f.entries[f.phases+i] = wire.Entry(e)
}

func (f *flow) phase(i int) int { return i * f.phases / len(f.agents) }

func (f *flow) result(i int) string {
	if f.agents[i].state == "error" {
		return "API Error: 529 overloaded"
	}
	return fmt.Sprintf("item %d is fine: %s", i+1, f.agents[i].prompt[:28])
}

func (f *flow) cbc(i int) wire.CBCAgent {
	a := f.agents[i]
	p := f.phase(i)
	e := wire.CBCAgent{
		Type: "workflow_agent", Index: int64(i + 1), AgentID: a.id, State: a.state, StartedAt: wire.Millis(a.start), EndedAt: wire.Millis(a.end),
		Label: a.label, PhaseTitle: phaseTitles[p], PhaseIndex: int64(p + 1),
	}
	switch a.state {
	case "error":
		e.Error = f.result(i)
	case "done", "cached":
		e.ResultPreview = f.result(i)
	}
	if a.tokens > 0 {
		e.Tokens = &a.tokens
	}
	return e
}

func (f *flow) claude(i int) wire.ClaudeAgent {
	a := f.agents[i]
	p := f.phase(i)
	e := wire.ClaudeAgent{
		Type: "workflow_agent", Index: int64(i + 1), Label: a.label, PhaseIndex: int64(p + 1), PhaseTitle: phaseTitles[p], AgentID: a.id,
		Model: "claude-sonnet-4-5", State: a.state, StartedAt: wire.Millis(a.start), QueuedAt: wire.Millis(a.queued), Attempt: 1,
		PromptPreview: a.prompt, LastProgressAt: wire.Millis(f.now),
	}
	switch a.state {
	case "queued":
		e.State, e.Attempt = "start", 0
		return e
	case "cached":
		e.State, e.Cached, e.QueuedAt, e.Attempt, e.ResultPreview = "done", true, 0, 0, f.result(i)
		return e
	case "start":
		return e
	case "error":
		e.Error = f.result(i)
	case "done":
		e.ResultPreview = f.result(i)
	}
	if a.tools > 0 {
		e.LastToolName, e.LastToolSummary = "Bash", "go test ./..."
	}
	e.Tokens, e.ToolCalls = &a.tokens, &a.tools
	if !a.end.IsZero() {
		d := a.end.Sub(a.start).Milliseconds()
		e.DurationMS = &d
	}
	return e
}

// snapshot writes a task_progress line. Only the entries that changed were encoded anew.
func (f *flow) snapshot() {
	f.Snapshots++
	line := wire.TaskProgress{
		Type: "system", Subtype: "task_progress", TaskID: f.taskID, ToolUseID: f.toolUse, Description: "A large workflow", Usage: f.usage(),
		Progress: []json.RawMessage{quotedHole}, UUID: f.uuid(), SessionID: f.session, Stamp: f.stamp(),
	}
	if f.flavour == simcbc.Claude {
		line.LastToolName, line.Summary = f.agents[f.last].label, "A large workflow"
	}
	head, tail := around(line)
	f.Write(head)
	first := true
	for _, e := range f.entries {
		if e == nil {
			continue
		}
		if !first {
			f.WriteByte(',')
		}
		first = false
		f.Write(e)
	}
	f.Write(tail)
}

func (f *flow) usage() wire.Usage {
	return wire.Usage{TotalTokens: f.tokens, ToolUses: f.tools, DurationMS: f.now.Sub(f.started).Milliseconds()}
}

func (f *flow) end() {
	f.pass(20 * time.Millisecond)
	f.line(wire.TaskUpdated{
		Type: "system", Subtype: "task_updated", TaskID: f.taskID, UUID: f.uuid(), SessionID: f.session, Stamp: f.stamp(),
		Patch: wire.Patch{Status: "completed", EndTime: wire.Millis(f.now)},
	})
	u := f.usage()
	f.line(wire.TaskNotification{
		Type: "system", Subtype: "task_notification", TaskID: f.taskID, Status: "completed", Summary: "A large workflow completed", Usage: &u,
		OutputFile: "/tmp/agent/tasks/" + f.taskID + ".output", UUID: f.uuid(), SessionID: f.session, Stamp: f.stamp(),
	})
}
