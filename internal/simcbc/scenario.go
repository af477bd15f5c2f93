package simcbc

import "time"

// scenario is one workflow, scripted.
type scenario struct {
	name        string
	description string
	phases      []phaseSpec
	agents      []agentSpec // in the order of their indexes, 1 and up
	concurrency int         // agents at a time; 0 is 4
	throws      string      // the script throws this when no more than the last agent still runs
}

type phaseSpec struct {
	title string
	kind  string // child: a nested workflow
}

// fate is how an agent ends.
type fate int

const (
	succeeds  fate = iota
	fails          // with agentSpec.text as its error
	cached         // at once, from an earlier run
	stalls         // the first attempt stalls, the second is done
	throttled      // done, then started again after a pause, then done for good
)

type agentSpec struct {
	phase  int // index into phases counted from 1; 0 is outside any
	label  string
	prompt string
	text   string // its result, or its error if it fails
	model  string // Claude only
	takes  time.Duration
	tokens int64
	tools  []string // tools it uses, evenly over its time
	fate   fate
	after  []int // indexes that must have ended; nil: all agents of the phases before its own
}
