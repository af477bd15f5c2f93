// Package process runs the wrapped command: it hands it our descriptors and
// signals, forwards its standard output as it arrives and ends as it ended.
//
// The command is to see, and whoever started us is to see, what they would
// without us. What cannot be the same is listed in docs/transparency.md.
package process

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// Options say what to run and who looks on.
type Options struct {
	Path string   // the file to run, as Look found it
	Args []string // argv, the name at index 0 included
	Env  []string // see Environ

	// Stdout is where the command's output goes; nil means descriptor 1. It
	// is only written to: its flags are shared with others and stay as they
	// are.
	Stdout *os.File

	// PassThrough gives the command our standard output itself: nothing is
	// forwarded and nothing seen. For platforms without Replace.
	PassThrough bool

	// DrainWait keeps forwarding until the end of the output when the command
	// has exited but others still hold its standard output. The default stops
	// after 200 ms of silence, after 2 s at most.
	DrainWait bool

	// OnBytes gets every piece of output after it was written, with the time
	// it was read. p is only valid during the call; the call delays the
	// output that follows.
	OnBytes func(p []byte, at time.Time)

	// OnEOF is called once, when no more output will come.
	OnEOF func(at time.Time)

	// Interrupt, if set, puts a pipe before the command's standard input.
	Interrupt *Interrupt
}

// Exit is how the command ended.
type Exit struct {
	PID    int            // it had
	Code   int            // exit code; 128 + the signal's number for a death by signal
	Signal syscall.Signal // 0 unless it died by a signal
	At     time.Time      // when it was reaped

	Bytes int64 // written to our standard output
	Gone  bool  // the consumer closed our standard output
	Cut   bool  // others still held the output when the drain ended

	// WriteErr is set when the output could not be written for another reason
	// than its reader being gone (a full disk). A command that ended well
	// although its output was lost gets exit code 1, as it would most likely
	// have ended without us.
	WriteErr error

	// Signals delivers the signals that arrive after the command's end, when
	// there is nobody to pass them on to.
	Signals <-chan os.Signal
}

// StartError says why the command could not be started, with the exit code a
// shell gives: 127 for what does not exist, 126 for what cannot be executed.
type StartError struct {
	Name string // as the user wrote it
	Code int
	Err  error
}

func (e *StartError) Error() string { return fmt.Sprintf("%s: %v", e.Name, e.Err) }

func (e *StartError) Unwrap() error { return e.Err }
