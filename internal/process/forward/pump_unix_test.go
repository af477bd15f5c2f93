//go:build unix

package forward

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a pump between a child, played by the test, and a reader.
type bench struct {
	t      *testing.T
	child  *os.File // the child's output
	exit   *os.File // closed at its exit
	out    *os.File // our output
	reader *os.File // its reader's end

	pump    Pump
	closeIn func() // once: its number may be another test's file afterwards
	result  chan Result
}

func newBench(t *testing.T) *bench {
	t.Helper()
	in, child, err := Pipe()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, child: os.NewFile(uintptr(child), "child"), result: make(chan Result, 1)}
	var exited *os.File
	exited, b.exit = plainPipe(t)
	b.reader, b.out = plainPipe(t)
	b.pump = Pump{In: in, Out: int(b.out.Fd()), Exited: int(exited.Fd())}
	b.closeIn = sync.OnceFunc(func() { unix.Close(in) })
	t.Cleanup(func() {
		b.closeIn()
		for _, f := range []*os.File{b.child, b.exit, exited, b.reader, b.out} {
			f.Close()
		}
	})
	return b
}

// plainPipe is a pipe with blocking ends.
func plainPipe(t *testing.T) (reader, writer *os.File) {
	t.Helper()
	var fds [2]int
	if err := unix.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fds[0]), "reader"), os.NewFile(uintptr(fds[1]), "writer")
}

func (b *bench) start() { go func() { b.result <- b.pump.Run() }() }

// end waits for the pump. It says nothing about speed.
func (b *bench) end() Result {
	b.t.Helper()
	select {
	case r := <-b.result:
		return r
	case <-time.After(time.Minute):
		b.t.Fatal("does not end")
		return Result{}
	}
}

func (b *bench) write(s string) {
	b.t.Helper()
	if _, err := b.child.WriteString(s); err != nil {
		b.t.Error(err)
	}
}

func (b *bench) read(n int) string {
	b.t.Helper()
	buf := make([]byte, n)
	if _, err := io.ReadFull(b.reader, buf); err != nil {
		b.t.Error(err)
	}
	return string(buf)
}

func TestOnlookerComesAfterTheWrite(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	before := time.Now()
	var seen []string
	b.pump.Onlooker = func(p []byte, at time.Time) {
		if got := b.read(len(p)); got != string(p) {
			t.Errorf("downstream has %q, the onlooker %q", got, p)
		}
		if at.Before(before) || at.After(time.Now()) {
			t.Errorf("read at %v", at)
		}
		seen = append(seen, string(p))
	}
	b.write("one\ntwo")
	b.child.Close()
	b.start()
	if r := b.end(); r.Bytes != 7 || r.Gone || r.Cut || r.Err != nil || r.At.IsZero() {
		t.Errorf("result %+v", r)
	}
	if len(seen) != 1 || seen[0] != "one\ntwo" {
		t.Errorf("seen %q", seen)
	}
}

func TestEndOfOutputIsNotTheExit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.start()
	b.write("x")
	b.child.Close()
	if r := b.end(); r.Bytes != 1 || r.Cut {
		t.Errorf("result %+v", r)
	}
}

func TestSilenceEndsADrain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("last words")
	b.exit.Close() // and the child's end stays open
	began := time.Now()
	b.start()
	r := b.end()
	if !r.Cut || r.Bytes != 10 {
		t.Errorf("result %+v", r)
	}
	if took := time.Since(began); took < Silence {
		t.Errorf("after %v, want %v of silence", took, Silence)
	}
}

func TestLimitEndsAChattyDrain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			if _, err := b.child.WriteString("chatter\n"); err != nil {
				return
			}
			time.Sleep(Silence / 20)
		}
	}()
	go func() { _, _ = io.Copy(io.Discard, b.reader) }()
	b.exit.Close()
	began := time.Now()
	b.start()
	if r := b.end(); !r.Cut {
		t.Errorf("result %+v", r)
	}
	if took := time.Since(began); took < Limit {
		t.Logf("silent for %v within the %v it took", Silence, took) // a busy machine
	}
	b.closeIn()
	<-done
	b.out.Close()
}

func TestLimitEndsAFloodedDrain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		flood := make([]byte, 1<<20)
		for {
			if _, err := b.child.Write(flood); err != nil {
				return
			}
		}
	}()
	go func() { _, _ = io.Copy(io.Discard, b.reader) }()
	b.exit.Close()
	b.start()
	if r := b.end(); !r.Cut {
		t.Errorf("result %+v", r)
	}
	b.closeIn()
	<-done
	b.out.Close()
}

func TestWhatWasThereAtTheExitIsOwed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	owed := bytes.Repeat([]byte("owed "), 10_000) // more than the reader's pipe holds, less than the child's
	go func() {
		_, _ = b.child.Write(owed)
		b.exit.Close()
	}()
	b.start()
	time.Sleep(3 * Silence) // the reader rests
	if got := b.read(len(owed)); got != string(owed) {
		t.Error("not the same bytes")
	}
	if r := b.end(); !r.Cut || r.Bytes != int64(len(owed)) {
		t.Errorf("result %+v", r)
	}
}

func TestAReaderThatRestsDoesNotHoldADrain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exit.Close()
	began := time.Now()
	b.start()
	// Not the child's own any more, and more than anybody takes.
	done := make(chan struct{})
	go func() {
		defer close(done)
		time.Sleep(Silence / 10)
		_, _ = b.child.Write(make([]byte, 4<<20))
	}()
	if r := b.end(); !r.Cut {
		t.Errorf("result %+v after %v", r, time.Since(began))
	}
	b.closeIn()
	<-done
}

func TestReaderGoes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.start()
	b.write("x")
	b.read(1)
	b.reader.Close()
	if runtime.GOOS != "linux" {
		b.write("y") // elsewhere an idle writer is not told
	}
	if r := b.end(); !r.Gone || r.Err != nil {
		t.Errorf("result %+v", r)
	}
}

func TestOutputThatWouldBlock(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := unix.SetNonblock(b.pump.Out, true); err != nil {
		t.Fatal(err)
	}
	data := bytes.Repeat([]byte("0123456789"), 100_000)
	go func() {
		_, _ = b.child.Write(data)
		b.child.Close()
	}()
	b.start()
	time.Sleep(Silence) // until it would block
	if got := b.read(len(data)); got != string(data) {
		t.Error("not the same bytes")
	}
	if r := b.end(); r.Bytes != int64(len(data)) || r.Err != nil {
		t.Errorf("result %+v", r)
	}
	if flags, _ := unix.FcntlInt(uintptr(b.pump.Out), unix.F_GETFL, 0); flags&unix.O_NONBLOCK == 0 {
		t.Error("the output's flags have changed")
	}
}

func TestOutputThatFails(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("no /dev/full")
	}
	b := newBench(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	b.pump.Out = int(full.Fd())
	b.start()
	b.write("x")
	if r := b.end(); r.Err != unix.ENOSPC || r.Gone || r.Bytes != 0 {
		t.Errorf("result %+v", r)
	}
}
