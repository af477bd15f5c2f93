package simcbc

import "time"

// Clock tells the time and waits. It is used by one goroutine.
type Clock interface {
	Now() time.Time
	// After gives a channel that receives once d has passed.
	After(d time.Duration) <-chan time.Time
}

type wallClock struct{}

func (wallClock) Now() time.Time                         { return time.Now() }
func (wallClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Jump is a clock that starts at a given time and never waits: After moves it on. With it and a seed, a
// stream is the same, byte for byte, in every run. All input is read before anything happens then.
type Jump struct{ now time.Time }

// NewJump gives a Jump that stands at start.
func NewJump(start time.Time) *Jump { return &Jump{now: start} }

// Now is where the clock stands.
func (j *Jump) Now() time.Time { return j.now }

// After moves the clock on by d.
func (j *Jump) After(d time.Duration) <-chan time.Time {
	j.now = j.now.Add(d)
	c := make(chan time.Time, 1)
	c <- j.now
	return c
}
