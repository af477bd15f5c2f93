package simcbc

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"cbc-otel/internal/simcbc/wire"
)

// session is one process of the simulated CLI. All of it runs in one goroutine.
type session struct {
	opt     Options
	clock   Clock
	rng     *rand.Rand
	dialect dialect
	agenda  agenda
	id      string
	model   string

	stdout, stderr io.Writer
	format         string // stream-json, json or text
	err            error  // of stdout
	cut            bool

	runs  []*run
	turn  *turn
	turns []*turn // after it
	// result is the text of the latest result, resultLine the line itself.
	result     string
	resultLine []byte
}

func newSession(o Options, format string, stdout, stderr io.Writer) *session {
	s := &session{
		opt: o, clock: o.Clock, rng: rand.New(rand.NewPCG(o.Seed, 0)),
		stdout: stdout, stderr: stderr, format: format,
	}
	switch o.Flavour {
	case Claude:
		s.dialect, s.model = claude{}, "claude-sonnet-4-5"
	default:
		s.dialect, s.model = cbc{}, "default-model"
	}
	s.id = s.uuid()
	return s
}

// loop does what is due and what lines asks for until nothing is left of either. A nil lines is at EOF.
func (s *session) loop(lines <-chan []byte) {
	for s.err == nil && !s.cut {
		at, due := s.agenda.next()
		if !due && lines == nil {
			return
		}
		var alarm <-chan time.Time
		if due {
			wait := at.Sub(s.clock.Now())
			if wait <= 0 {
				s.agenda.pop().do()
				continue
			}
			alarm = s.clock.After(wait)
		}
		select {
		case <-alarm:
		case line, open := <-lines:
			if !open {
				lines = nil
				continue
			}
			s.input(line)
		}
	}
}

// input obeys a line of stdin.
func (s *session) input(line []byte) {
	var in wire.Input
	if err := json.Unmarshal(line, &in); err != nil {
		fmt.Fprintf(s.stderr, "simulated CLI: stdin: not a JSON message\n")
		return
	}
	switch {
	case in.Type == "user":
		s.ask(in.Prompt())
	case in.Type != "control_request":
	case in.Request.Subtype == "initialize":
		s.emit(answer(in.RequestID, account()))
	case in.Request.Subtype == "interrupt":
		s.interrupt(in.RequestID, in.Request.Reason)
	case in.Request.Subtype == "stop_task":
		s.dialect.stopTask(s, in.RequestID, in.Request.TaskID)
	default:
		s.emit(refusal(in.RequestID, "unknown control request: "+in.Request.Subtype))
	}
}

// interrupt stops the turn and every workflow.
func (s *session) interrupt(requestID, reason string) {
	if reason == "" {
		reason = "user cancel"
	}
	s.dialect.interrupt(s, requestID, reason)
}

// stopRuns stops all workflows that run and returns them.
func (s *session) stopRuns() []*run {
	var stopped []*run
	for _, r := range s.open() {
		r.stop()
		stopped = append(stopped, r)
	}
	return stopped
}

func (s *session) open() []*run {
	var open []*run
	for _, r := range s.runs {
		if !r.over {
			open = append(open, r)
		}
	}
	return open
}

// after plans do for d from now, at the speed of the session.
func (s *session) after(d time.Duration, sc *scope, do func()) {
	s.agenda.add(s.clock.Now().Add(time.Duration(float64(d)/s.opt.Speed)), sc, do)
}

// emit writes lines, if the output format is one of lines.
func (s *session) emit(lines ...any) {
	if s.format != "stream-json" {
		return
	}
	for _, l := range lines {
		if s.err == nil {
			_, s.err = s.stdout.Write(wire.Encode(l))
		}
	}
}

// finish writes what the other output formats write at the end.
func (s *session) finish() {
	switch {
	case s.cut || s.err != nil:
	case s.format == "text":
		_, s.err = fmt.Fprintln(s.stdout, s.result)
	case s.format == "json":
		_, s.err = s.stdout.Write(s.resultLine)
	}
}

// hex gives n random hex digits.
func (s *session) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdef"[s.rng.IntN(16)]
	}
	return string(b)
}

func (s *session) uuid() string {
	return s.hex(8) + "-" + s.hex(4) + "-4" + s.hex(3) + "-" + string("89ab"[s.rng.IntN(4)]) + s.hex(3) + "-" + s.hex(12)
}
