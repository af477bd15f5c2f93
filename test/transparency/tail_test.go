//go:build linux

package transparency

import (
	"bytes"
	"os"
	"sync"
	"testing"
	"time"
)

// tail reads a pipe all the time and keeps what came.
type tail struct {
	mu    sync.Mutex
	got   []byte
	ended bool
	news  chan struct{} // closed and replaced when something came
}

func newTail(f *os.File) *tail {
	t := &tail{news: make(chan struct{})}
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := f.Read(buf)
			t.mu.Lock()
			t.got = append(t.got, buf[:n]...)
			t.ended = err != nil
			close(t.news)
			t.news = make(chan struct{})
			t.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return t
}

func (t *tail) now() string {
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.got)
}

// wait waits until ready is true of what came and whether it has ended.
func (t *tail) wait(tb testing.TB, what string, ready func(got []byte, ended bool) bool) {
	tb.Helper()
	timeout := time.After(hang)
	for {
		t.mu.Lock()
		ok, ended, news := ready(t.got, t.ended), t.ended, t.news
		t.mu.Unlock()
		if ok {
			return
		}
		if ended {
			tb.Fatalf("ended without %s: %q", what, t.now())
		}
		select {
		case <-news:
		case <-timeout:
			tb.Fatalf("no %s; there was %q", what, t.now())
		}
	}
}

// await waits until s has come.
func (t *tail) await(tb testing.TB, s string) {
	tb.Helper()
	t.wait(tb, s, func(got []byte, _ bool) bool { return bytes.Contains(got, []byte(s)) })
}

// awaitBytes waits until n bytes have come.
func (t *tail) awaitBytes(tb testing.TB, n int) {
	tb.Helper()
	t.wait(tb, "bytes", func(got []byte, _ bool) bool { return len(got) >= n })
}

// all waits for the end and returns everything.
func (t *tail) all(tb testing.TB) string {
	tb.Helper()
	t.wait(tb, "an end", func(_ []byte, ended bool) bool { return ended })
	return t.now()
}
