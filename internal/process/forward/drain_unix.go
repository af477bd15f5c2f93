//go:build unix

package forward

import (
	"time"

	"golang.org/x/sys/unix"
)

// drain is the time between the child's exit and the end of its output, which
// others may hold open. What was in the pipe at the exit is owed: it is
// forwarded however long the reader takes. The clock runs after that.
type drain struct {
	on      bool
	owed    int
	silence time.Time
	limit   time.Time
}

func (d *drain) start(in int) {
	d.on = true
	d.owed, _ = unix.IoctlGetInt(in, ioctlPending)
	d.restart()
}

// forwarded notes n more bytes.
func (d *drain) forwarded(n int) {
	if !d.on {
		return
	}
	if d.owed > 0 {
		d.owed -= n
		d.restart()
		return
	}
	d.silence = time.Now().Add(Silence)
}

func (d *drain) restart() {
	now := time.Now()
	d.silence, d.limit = now.Add(Silence), now.Add(Limit)
}

// deadline is zero while there is none.
func (d *drain) deadline() time.Time {
	switch {
	case !d.on || d.owed > 0:
		return time.Time{}
	case d.limit.Before(d.silence):
		return d.limit
	}
	return d.silence
}

// over reports whether it is: with the limit, and with the silence if there is
// some.
func (d *drain) over(silent bool) bool {
	if !d.on || d.owed > 0 {
		return false
	}
	now := time.Now()
	return !now.Before(d.limit) || silent && !now.Before(d.silence)
}

// timeout is the deadline as poll(2) wants it, rounded up.
func (d *drain) timeout() int {
	t := d.deadline()
	if t.IsZero() {
		return -1
	}
	return max(0, int((time.Until(t)+time.Millisecond-1)/time.Millisecond))
}
