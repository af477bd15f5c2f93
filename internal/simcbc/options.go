// Package simcbc is a simulated agent CLI: it speaks stream-json over stdio as cbc or as Claude Code
// does, and instead of asking a model it plays a scripted workflow. The demo shows it, and tests drive it
// like the real program.
package simcbc

import (
	"fmt"
	"strings"
	"time"
)

// Flavour is the dialect of the stream.
type Flavour string

const (
	// CBC is cbc as the workflow stdio protocol publishes it.
	CBC Flavour = "cbc"
	// Claude is Claude Code 2.1.220 as it was recorded.
	Claude Flavour = "claude"
)

// Options say what to play. The zero value plays the release audit in cbc's flavour at its own pace.
type Options struct {
	Flavour     Flavour // "" is CBC
	Scenario    string  // one of Scenarios; "" is release-audit. A prompt that starts with /NAME wins
	Seed        uint64  // decides ids, durations and token counts
	Speed       float64 // 2 is twice as fast; 0 is 1
	Agents      int     // of scenario fan-out; 0 is 150
	Concurrency int     // agents at a time; 0 leaves it to the scenario

	// Late is when the last late snapshot of an interrupted cbc workflow comes, counted from the
	// interrupt and, like every duration, divided by Speed. 0 is 1.5 s. Claude has none.
	Late time.Duration
	// InterruptAfter interrupts the session by itself, that long after its first workflow started.
	InterruptAfter time.Duration
	// CutAfter ends the program without another word, that long after its first workflow started.
	CutAfter time.Duration
	// ExitCode is the exit code of a program that ends well or is cut.
	ExitCode int

	// disabled is CODEBUDDY_DISABLE_WORKFLOWS=1: prompts are answered, no workflow starts.
	disabled bool

	// Clock is the wall clock if nil. See [Jump] for a stream that is the same in every run.
	Clock Clock
}

func (o Options) withDefaults() (Options, error) {
	if o.Flavour == "" {
		o.Flavour = CBC
	}
	if o.Flavour != CBC && o.Flavour != Claude {
		return o, fmt.Errorf("flavour %q: want %s or %s", o.Flavour, CBC, Claude)
	}
	if o.Scenario == "" {
		o.Scenario = "release-audit"
	}
	if _, ok := scenarios[o.Scenario]; !ok {
		return o, fmt.Errorf("scenario %q: want one of %s", o.Scenario, strings.Join(Scenarios(), ", "))
	}
	if o.Speed < 0 || o.Agents < 0 || o.Concurrency < 0 {
		return o, fmt.Errorf("speed, agents and concurrency must not be negative")
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	if o.Agents == 0 {
		o.Agents = 150
	}
	if o.Late == 0 {
		o.Late = 1500 * time.Millisecond
	}
	if o.Clock == nil {
		o.Clock = wallClock{}
	}
	return o, nil
}
