package process

import "time"

// Interrupt makes the first INT or TERM ask the command to wind down, by the
// protocol's interrupt request on its standard input (protocol section 4.1),
// before the signal is passed on. For that a pipe is put before its standard
// input: what the command has not read when it exits is lost.
type Interrupt struct {
	// Session is the current session id; empty if none is known yet.
	Session func() string

	// Grace is how long the command may take before it gets the signal. It
	// gets it at once when another INT or TERM comes, and when its input has
	// ended.
	Grace time.Duration
}
