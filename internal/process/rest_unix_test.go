//go:build unix

package process

import (
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"cbc-otel/internal/process/forward"
)

// resting is a pump with more to forward than its reader, who rests, has room for; the command has exited.
func resting(t *testing.T, status syscall.WaitStatus) (pump *forward.Pump, c *child, reader *os.File) {
	t.Helper()
	in, childOut, err := forward.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := unix.Write(childOut, make([]byte, 200_000)); n < 100_000 {
		t.Skip("no room in a pipe:", n, err)
	}
	reader, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	exitReader, exitWriter, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	exitWriter.Close()
	c = &child{exited: make(chan struct{}), status: status}
	close(c.exited)
	pump = &forward.Pump{In: in, Out: int(out.Fd()), Exited: int(exitReader.Fd())}
	t.Cleanup(func() {
		reader.Close()
		unix.Close(childOut)
		exitReader.Close()
	})
	return pump, c, reader
}

// A signal that ended the command, or one after its end, ends the wait for a reader that takes nothing any more.
func TestReaderRestsAfterASignal(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]syscall.WaitStatus{"died of it": syscall.WaitStatus(syscall.SIGTERM), "came later": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pump, c, _ := resting(t, status)
			s := &signals{hurry: make(chan struct{})}
			s.last.Store(int32(syscall.SIGTERM))
			if status == 0 {
				close(s.hurry)
			}
			r, left := run(pump, c, s, 100*time.Millisecond)
			if !left || !r.Cut {
				t.Errorf("left %v, result %+v", left, r)
			}
		})
	}
}

// Without one it is waited for.
func TestReaderRests(t *testing.T) {
	t.Parallel()
	pump, c, reader := resting(t, 0)
	s := &signals{hurry: make(chan struct{})}
	s.last.Store(int32(syscall.SIGINT)) // the command has carried on
	go func() {
		time.Sleep(100 * time.Millisecond)
		buf := make([]byte, 1<<20)
		for n := 0; n < 200_000; {
			some, err := reader.Read(buf)
			if err != nil {
				return
			}
			n += some
		}
	}()
	if r, left := run(pump, c, s, time.Millisecond); left || r.Bytes != 200_000 {
		t.Errorf("left %v, result %+v", left, r)
	}
}
