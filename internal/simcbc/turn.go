package simcbc

import (
	"strings"
	"time"

	"cbc-otel/internal/simcbc/wire"
)

// turn is one round of the conversation: a prompt of the user, or the follow-up when a workflow ended.
type turn struct {
	workflows []scenario
	answer    string
	began     time.Time
	requestID string // cbc
	scope     *scope
}

// ask takes a prompt. It plays the session's scenario, or the one it names: /NAME as the first word or
// after "run ".
func (s *session) ask(prompt string) {
	t := &turn{answer: "The workflow was started."}
	if s.opt.disabled {
		t.answer = "Workflows are disabled."
	} else {
		t.workflows = scenarios[s.scenario(prompt)](s.opt)
		if len(t.workflows) == 0 {
			t.answer = "Hello."
		}
	}
	s.enqueue(t)
}

func (s *session) scenario(prompt string) string {
	name, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(prompt), "run "), "/")
	name, _, _ = strings.Cut(name, " ")
	if _, known := scenarios[name]; ok && known {
		return name
	}
	return s.opt.Scenario
}

// followUp is the turn that the CLI starts by itself after a workflow.
func (s *session) followUp(r *run) {
	s.enqueue(&turn{answer: "The workflow " + r.scenario.name + " has ended."})
}

func (s *session) enqueue(t *turn) {
	if s.turn != nil {
		s.turns = append(s.turns, t)
		return
	}
	s.turn = t
	t.began, t.requestID, t.scope = s.clock.Now(), s.hex(32), &scope{}
	s.emit(s.dialect.opened(s)...)
	delay := 250 * time.Millisecond
	if len(t.workflows) > 0 {
		s.after(120*time.Millisecond, t.scope, func() { s.launch(t) })
		delay = 450 * time.Millisecond
	}
	s.after(delay, t.scope, func() {
		s.emit(s.dialect.said(s, wire.Text{Type: "text", Text: t.answer}))
		s.endTurn(t.answer, false)
	})
}

// launch calls the Workflow tool, once for each workflow of the turn.
func (s *session) launch(t *turn) {
	var calls []any
	var runs []*run
	for _, sc := range t.workflows {
		r := newRun(s, sc, "toolu_"+s.hex(20))
		runs = append(runs, r)
		calls = append(calls, wire.ToolUse{Type: "tool_use", ID: r.toolUseID, Name: "Workflow", Input: map[string]string{"script": script(sc)}})
	}
	s.emit(s.dialect.said(s, calls...))
	if len(s.runs) == 0 {
		s.planEnds()
	}
	for _, r := range runs {
		s.runs = append(s.runs, r)
		r.started = s.clock.Now()
		s.emit(s.dialect.started(r)...)
	}
	for _, r := range runs {
		r.begin()
	}
}

// planEnds plans what the options want to happen after the first workflow started.
func (s *session) planEnds() {
	if d := s.opt.InterruptAfter; d > 0 {
		s.after(d, nil, func() { s.interrupt("sim-interrupt", "") })
	}
	if d := s.opt.CutAfter; d > 0 {
		s.after(d, nil, func() { s.cut = true })
	}
}

// endTurn writes the result of the turn and begins the next.
func (s *session) endTurn(text string, isError bool) {
	line := s.dialect.result(s, text, isError)
	s.emit(line)
	s.result, s.resultLine = text, wire.Encode(line)
	s.turn = nil
	if len(s.turns) > 0 {
		next := s.turns[0]
		s.turns = s.turns[1:]
		s.enqueue(next)
	}
}

// breakTurn ends the turn in mid-sentence, if there is one, and forgets those after it.
func (s *session) breakTurn() {
	s.turns = nil
	if s.turn != nil {
		s.turn.scope.off = true
		s.endTurn("", true)
	}
}
