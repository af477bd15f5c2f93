//go:build unix

package say

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// rawPipe is a pipe whose ends the runtime does not know, as descriptor 2 is.
func rawPipe(t *testing.T) (r, w int) {
	t.Helper()
	var p [2]int
	if err := syscall.Pipe(p[:]); err != nil {
		t.Fatal(err)
	}
	return p[0], p[1]
}

func TestDescriptorWithoutReader(t *testing.T) {
	t.Parallel()
	r, w := rawPipe(t)
	defer syscall.Close(w)
	syscall.Close(r)
	if _, err := descriptor(w).Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("error %v, want EPIPE", err)
	}
}

func TestDescriptorWritesAll(t *testing.T) {
	t.Parallel()
	r, w := rawPipe(t)
	f := os.NewFile(uintptr(r), "pipe")
	defer f.Close()
	text := strings.Repeat("x", 1<<18) // more than a pipe holds
	done := make(chan error, 1)
	go func() {
		_, err := descriptor(w).Write([]byte(text))
		syscall.Close(w)
		done <- err
	}()
	var got strings.Builder
	if _, err := f.WriteTo(&got); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || got.String() != text {
		t.Errorf("%d bytes arrived of %d, error %v", got.Len(), len(text), err)
	}
}

// A stderr that others made non-blocking and nobody reads costs a line, not the run.
func TestDescriptorStalled(t *testing.T) {
	t.Parallel()
	r, w := rawPipe(t)
	defer syscall.Close(r)
	defer syscall.Close(w)
	if err := syscall.SetNonblock(w, true); err != nil {
		t.Fatal(err)
	}
	if n, err := descriptor(w).Write(make([]byte, 1<<20)); !errors.Is(err, syscall.EAGAIN) || n == 0 {
		t.Errorf("wrote %d, error %v; want some and EAGAIN", n, err)
	}
}
