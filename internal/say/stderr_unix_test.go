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
	if _, err := (&descriptor{fd: w}).Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
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
		_, err := (&descriptor{fd: w}).Write([]byte(text))
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

// A stderr that nobody reads costs what is printed, not the run: one wait for all of it. What is read again is written
// to again.
func TestDescriptorStalled(t *testing.T) {
	t.Parallel()
	for _, nonblock := range []bool{false, true} {
		r, w := rawPipe(t)
		defer syscall.Close(r)
		defer syscall.Close(w)
		if err := syscall.SetNonblock(w, nonblock); err != nil {
			t.Fatal(err)
		}
		d := &descriptor{fd: w}
		n, err := d.Write(make([]byte, 1<<20))
		if !errors.Is(err, ErrStalled) || n == 0 {
			t.Errorf("wrote %d, error %v; want some and ErrStalled", n, err)
		}
		for range 1000 { // a quarter of an hour, if each of them waited
			if n, err := d.Write([]byte("x")); !errors.Is(err, ErrStalled) || n != 0 {
				t.Fatalf("wrote %d, error %v; want ErrStalled", n, err)
			}
		}
		if _, err := syscall.Read(r, make([]byte, n)); err != nil {
			t.Fatal(err)
		}
		if n, err := d.Write([]byte("x")); n != 1 || err != nil {
			t.Errorf("wrote %d, error %v; want one byte", n, err)
		}
	}
}
