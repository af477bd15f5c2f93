package simcbc

import (
	"fmt"
	"strings"

	"cbc-otel/internal/simcbc/wire"
)

// dialect is where cbc and Claude Code differ. Its methods give the lines to write, in their order,
// except for interrupt and stopTask, which act.
type dialect interface {
	taskID(*session) string
	agentID(*session, *agent) string // of the attempt that begins

	opened(*session) []any               // a turn
	said(s *session, content ...any) any // by the assistant
	result(s *session, text string, isError bool) any

	started(*run) []any
	progress(*run) []any
	unchanged(*run) []any // progress without a snapshot
	abandon(*run)         // the script has thrown: what becomes of agents in flight
	ended(r *run, status, err string) []any

	interrupt(s *session, requestID, reason string)
	stopTask(s *session, requestID, taskID string)
}

// answer is a successful control_response.
func answer(requestID string, payload any) wire.ControlResponse {
	return wire.ControlResponse{Type: "control_response", Response: wire.ControlAnswer{Subtype: "success", RequestID: requestID, Response: payload}}
}

func refusal(requestID, err string) wire.ControlResponse {
	return wire.ControlResponse{Type: "control_response", Response: wire.ControlAnswer{Subtype: "error", RequestID: requestID, Error: err}}
}

// account is the payload of the answer to initialize. It holds canaries in the places of an account's
// secrets: a test can look for them in everything that leaves the program.
func account() map[string]any {
	return map[string]any{
		"commands":     []any{map[string]string{"name": "release-audit", "description": "", "argumentHint": ""}},
		"output_style": "default",
		"models":       []any{},
		"account": map[string]string{
			"email":        "canary@example.invalid",
			"enterpriseId": "ent-canary",
			"token":        "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJjYW5hcnkifQ.Y2FuYXJ5LXNpZ25hdHVyZQ",
		},
	}
}

// phases are the entries of the phases: all of them, from the first snapshot on.
func phases(r *run) []any {
	var list []any
	for i, p := range r.scenario.phases {
		list = append(list, wire.Phase{Type: "workflow_phase", Index: int64(i + 1), Title: p.title, Kind: p.kind})
	}
	return list
}

// phaseTitle is "" for an agent outside any phase.
func (r *run) phaseTitle(a *agent) string {
	if a.phase == 0 {
		return ""
	}
	return r.scenario.phases[a.phase-1].title
}

func summary(r *run, status, err string) string {
	switch status {
	case "killed":
		return r.scenario.description
	case "failed":
		return fmt.Sprintf("Dynamic workflow %q failed: %s", r.scenario.description, err)
	default:
		return fmt.Sprintf("Dynamic workflow %q completed", r.scenario.description)
	}
}

// notified is the status of the notification that follows a patch's status (protocol section 5.4).
func notified(status string) string {
	if status == "killed" {
		return "stopped"
	}
	return status
}

func (r *run) wireUsage() wire.Usage {
	tokens, tools, millis := r.usage()
	return wire.Usage{TotalTokens: tokens, ToolUses: tools, DurationMS: millis}
}

// script is a workflow source that could be the one the scenario plays.
func script(sc scenario) string {
	var b strings.Builder
	var titles []string
	for _, p := range sc.phases {
		titles = append(titles, fmt.Sprintf("{title:'%s'}", p.title))
	}
	fmt.Fprintf(&b, "export const meta = { name: '%s', description: '%s', phases: [%s] }\n", sc.name, sc.description, strings.Join(titles, ","))
	phase := 0
	for _, a := range sc.agents {
		if a.phase != phase {
			phase = a.phase
			fmt.Fprintf(&b, "phase('%s')\n", sc.phases[phase-1].title)
		}
		fmt.Fprintf(&b, "await agent('%s', {label:'%s'})\n", a.prompt, a.label)
	}
	return b.String()
}

func ptr(n int64) *int64 { return &n }
