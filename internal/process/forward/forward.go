// Package forward moves a child's output to our standard output, byte for
// byte and at once, and shows a copy to an onlooker afterwards.
package forward

import "time"

const (
	// BufferSize is read at once, at most. Measured: half of a full pipe is
	// as good as all of it, and a quarter is not.
	BufferSize = 512 << 10

	// PipeSize is asked for, on systems that can, on the pipe the child
	// writes into. That pipe is ours alone; inherited ones are never resized.
	PipeSize = 1 << 20

	// Silence and Limit end the forwarding when the child has exited but
	// others hold its standard output.
	Silence = 200 * time.Millisecond
	Limit   = 2 * time.Second
)

// Result is how the forwarding ended.
type Result struct {
	Bytes int64     // written
	At    time.Time // when the end was seen
	Gone  bool      // the reader of our output is gone
	Cut   bool      // ended by Silence or Limit, not by the end of the output
	Err   error     // why the output could not be written, other than Gone
}
