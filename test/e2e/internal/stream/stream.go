// Package stream reads what a CLI wrote in the plainest way there is, with encoding/json and no regard for speed
// or malformed lines: an opinion of its own on what a stream says, to compare traces with.
package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Line is a line of the stream; only what is needed here.
type Line struct {
	Type, Subtype string
	SessionID     string `json:"session_id"`
	TaskID        string `json:"task_id"`
	TaskType      string `json:"task_type"`
	WorkflowName  string `json:"workflow_name"`
	Status        string
	Patch         struct{ Status string }
	Result        string
	Progress      []Entry `json:"workflow_progress"`
}

// Entry of a snapshot.
type Entry struct {
	Type, Title, Label, State, Error string
	Index, PhaseIndex, Attempt       int
	Cached                           bool
	PromptPreview, EndedWithRun      string
}

// Task is a workflow of the stream.
type Task struct {
	ID, Session, Name string
	Status            string // of the notification, else of the last patch, else ""
	phases, agents    map[int]Entry
}

// Read returns the lines that are JSON objects.
func Read(b []byte) []Line {
	var out []Line
	for raw := range bytes.Lines(b) {
		var l Line
		if json.Unmarshal(raw, &l) == nil {
			out = append(out, l)
		}
	}
	return out
}

// Tasks returns the workflows in the order they started.
func Tasks(lines []Line) []*Task {
	var tasks []*Task
	for _, l := range lines {
		if l.Subtype == "task_started" && l.TaskType == "local_workflow" {
			tasks = append(tasks, &Task{ID: l.TaskID, Session: l.SessionID, Name: l.WorkflowName, phases: map[int]Entry{}, agents: map[int]Entry{}})
		}
		i := slices.IndexFunc(tasks, func(t *Task) bool { return t.ID == l.TaskID })
		if i < 0 {
			continue
		}
		t := tasks[i]
		switch l.Subtype {
		case "task_progress":
			for _, e := range l.Progress {
				if e.Type == "workflow_phase" {
					t.phases[e.Index] = e
				} else if e.Type == "workflow_agent" {
					t.agents[e.Index] = e
				}
			}
		case "task_updated":
			if s := l.Patch.Status; t.Status == "" && (s == "completed" || s == "failed" || s == "killed") {
				t.Status = strings.Replace(s, "killed", "stopped", 1)
			}
		case "task_notification":
			t.Status = l.Status
		}
	}
	return tasks
}

// InFlight counts the agents that started and have not ended.
func (t *Task) InFlight() (n int) {
	for _, a := range t.agents {
		if a.State == "start" || a.State == "progress" {
			n++
		}
	}
	return n
}

// Outline draws the task as tree.Outline draws its trace.
func (t *Task) Outline() string {
	status := t.Status
	if status == "" {
		status = "interrupted"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "workflow %s: %s\n", t.Name, status)
	for _, p := range sorted(t.phases) {
		agents := t.of(p.Index)
		if len(agents) == 0 {
			continue
		}
		fmt.Fprintf(&b, "  phase %d %s\n", p.Index, p.Title)
		for _, a := range agents {
			b.WriteString("    " + a.line(status))
		}
	}
	for _, a := range t.of(0) {
		b.WriteString("  " + a.line(status))
	}
	return b.String()
}

func (t *Task) of(phase int) (in []Entry) {
	for _, a := range sorted(t.agents) {
		if a.PhaseIndex == phase {
			in = append(in, a)
		}
	}
	return in
}

func sorted(m map[int]Entry) (out []Entry) {
	for _, e := range m {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Entry) int { return a.Index - b.Index })
	return out
}

var suffix = regexp.MustCompile(` \((retry \d+|throttle-retry)\)$`)

func (e Entry) line(workflow string) string {
	name := e.Label
	if e.Attempt > 1 {
		name = suffix.ReplaceAllString(name, "")
	}
	if name == "" {
		name = fmt.Sprint("agent-", e.Index)
	}
	return fmt.Sprintf("agent %d %s: %s\n", e.Index, name, e.end(workflow))
}

// end is how an agent ended in a workflow that ended so.
func (e Entry) end(workflow string) string {
	switch {
	case e.Cached || e.State == "cached":
		return "cached"
	case e.State == "done":
		return "done"
	case e.State == "error" && e.EndedWithRun == "stopped", e.State == "error" && strings.HasPrefix(e.Error, "subagent aborted"):
		return "cancelled"
	case e.State == "error" && e.EndedWithRun == "":
		return "error"
	case workflow == "completed":
		return "unfinished"
	}
	return "cancelled"
}
