package spool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"cbc-otel/exporter/spool"
)

var (
	mine   = spool.Destination{Exporter: "otlp", Endpoint: "http://localhost:4318/v1/traces", Protocol: "http/protobuf"}
	theirs = spool.Destination{Exporter: "otlp", Endpoint: "http://localhost:4318/v1/traces", Protocol: "http/protobuf", Headers: "0123"}
)

func open(t *testing.T, o spool.Options) *spool.Spool {
	t.Helper()
	if o.Base == "" {
		o.Base = filepath.Join(t.TempDir(), "cbc-otel")
	}
	return spool.New(o)
}

func put(t *testing.T, s *spool.Spool, d spool.Destination, spans int, data string) (spool.Entry, []spool.Entry) {
	t.Helper()
	e, removed, err := s.Put(spool.Header{Destination: d, Spans: spans, Reason: "timeout", Version: "1"}, []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return e, removed
}

func waiting(t *testing.T, s *spool.Spool, d spool.Destination) []spool.Entry {
	t.Helper()
	entries, err := s.Waiting(d)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func TestPutLoad(t *testing.T) {
	t.Parallel()
	s := open(t, spool.Options{})
	if entries, err := s.List(); err != nil || len(entries) != 0 {
		t.Fatalf("before anything was put: %v, %v", entries, err)
	}
	if _, err := os.Stat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("listing made the folder: %v", err)
	}
	put(t, s, mine, 3, "first\x00\n")
	put(t, s, mine, 4, "second")
	put(t, s, theirs, 5, "other")

	entries := waiting(t, s, mine)
	if len(entries) != 2 || entries[0].Spans != 3 || entries[1].Spans != 4 {
		t.Fatalf("entries %+v", entries)
	}
	h, data, err := s.Load(entries[0])
	if err != nil || string(data) != "first\x00\n" || h.Destination != mine || h.Spans != 3 || h.Reason != "timeout" || h.Written.IsZero() {
		t.Errorf("%+v %q %v", h, data, err)
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]fs.FileMode{entries[0].Path: 0o600, s.Dir(): 0o700} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
			}
		}
	}
	if err := s.Move(entries[0], spool.SetAside); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(entries[1]); err != nil {
		t.Fatal(err)
	}
	if left := waiting(t, s, mine); len(left) != 0 {
		t.Errorf("still waiting: %+v", left)
	}
	all, err := s.List()
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	states := map[spool.State]int{}
	for _, e := range all {
		states[e.State] += e.Spans
	}
	if states[spool.SetAside] != 3 || states[spool.Waiting] != 5 {
		t.Errorf("states %v", states)
	}
}

// A byte that changed anywhere in a file is noticed, and so is a file that was cut.
func TestCorrupt(t *testing.T) {
	t.Parallel()
	s := open(t, spool.Options{})
	e, _ := put(t, s, mine, 1, "some data")
	good, err := os.ReadFile(e.Path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, content []byte) {
		t.Helper()
		if err := os.WriteFile(e.Path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Load(e); !errors.Is(err, spool.ErrCorrupt) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x20
		check(fmt.Sprintf("byte %d", i), bad)
		check(fmt.Sprintf("cut at %d", i), good[:i])
	}
	check("longer", append(bytes.Clone(good), 'x'))
	if err := os.WriteFile(e.Path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, data, err := s.Load(e); err != nil || string(data) != "some data" {
		t.Errorf("restored: %q, %v", data, err)
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { now = now.Add(time.Minute); return now }
	data := strings.Repeat("x", 1000)
	s := open(t, spool.Options{MaxBytes: 4000, MaxAge: time.Hour, Now: clock})

	first, removed := put(t, s, mine, 1, data)
	put(t, s, theirs, 2, data)
	put(t, s, mine, 3, data)
	if len(removed) != 0 {
		t.Errorf("removed %+v", removed)
	}
	_, removed = put(t, s, mine, 4, data) // with headers and checksums over 4,000
	if len(removed) != 1 || removed[0].Path != first.Path || removed[0].Spans != 1 {
		t.Errorf("removed %+v, want the oldest, %s", removed, first.Path)
	}

	// Files that a sender holds the lock of are its business.
	lock, err := s.Lock(theirs)
	if err != nil || lock == nil {
		t.Fatal(lock, err)
	}
	_, removed = put(t, s, mine, 5, data)
	if len(removed) != 1 || removed[0].Spans != 3 {
		t.Errorf("removed %+v, want the second", removed)
	}
	lock.Release()

	now = now.Add(2 * time.Hour)
	removed, err = s.Sweep()
	if err != nil || len(removed) != 3 {
		t.Errorf("after two hours: removed %+v, %v", removed, err)
	}
	if _, _, err := s.Put(spool.Header{Destination: mine}, make([]byte, 4001)); !errors.Is(err, spool.ErrTooLarge) {
		t.Errorf("error %v", err)
	}
}

func TestAbandonedWriting(t *testing.T) {
	t.Parallel()
	s := open(t, spool.Options{})
	e, _ := put(t, s, mine, 1, "x")
	aside := filepath.Join(filepath.Dir(e.Path), ".writing-abc")
	if err := os.WriteFile(aside, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := waiting(t, s, mine); len(got) != 1 {
		t.Errorf("waiting %+v", got)
	}
	if _, err := os.Stat(aside); err != nil {
		t.Errorf("removed while it may be written: %v", err)
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(aside, old, old); err != nil {
		t.Fatal(err)
	}
	waiting(t, s, mine)
	if _, err := os.Stat(aside); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	s := open(t, spool.Options{})
	if lock, err := s.Lock(mine); lock != nil || err != nil {
		t.Errorf("without a spool: %v, %v", lock, err)
	}
	put(t, s, mine, 1, "x")
	lock, err := s.Lock(mine)
	if err != nil || lock == nil {
		t.Fatal(lock, err)
	}
	// Another process has its own Spool.
	other := spool.New(spool.Options{Base: filepath.Dir(s.Dir())})
	if second, err := other.Lock(mine); second != nil || err != nil {
		t.Errorf("taken twice: %v, %v", second, err)
	}
	if second, err := other.Lock(theirs); second == nil || err != nil {
		t.Errorf("another destination: %v, %v", second, err)
	} else {
		second.Release()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := other.Wait(ctx, mine); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	time.AfterFunc(50*time.Millisecond, lock.Release)
	second, err := other.Wait(t.Context(), mine)
	if err != nil || second == nil {
		t.Fatal(second, err)
	}
	second.Release()
}

func TestDown(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	s := open(t, spool.Options{Now: func() time.Time { return now }})
	if _, down := s.Down(mine); down {
		t.Error("down before anything failed")
	}
	if err := s.MarkDown(mine, "timeout"); err != nil {
		t.Fatal(err)
	}
	if got, down := s.Down(mine); !down || got.Reason != "timeout" || !got.Since.Equal(now) {
		t.Errorf("%+v %v", got, down)
	}
	if _, down := s.Down(theirs); down {
		t.Error("another destination is down")
	}
	now = now.Add(spool.DownFor - time.Second)
	if _, down := s.Down(mine); !down {
		t.Error("up too early")
	}
	now = now.Add(time.Second)
	if _, down := s.Down(mine); down {
		t.Error("down after five minutes")
	}
	now = now.Add(-time.Hour) // a clock that was set back must not keep it down for an hour
	if _, down := s.Down(mine); down {
		t.Error("down since the future")
	}
	if err := s.MarkDown(mine, "again"); err != nil {
		t.Fatal(err)
	}
	s.MarkUp(mine)
	if _, down := s.Down(mine); down {
		t.Error("down though it works")
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	s, other := open(t, spool.Options{}), open(t, spool.Options{})
	hash := func(s *spool.Spool, headers map[string]string, secrets ...[]byte) string {
		t.Helper()
		h, err := s.Hash(headers, secrets...)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if h := hash(s, nil, nil); h != "" {
		t.Errorf("hash of nothing: %s", h)
	}
	if _, err := os.Stat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key was made for nothing: %v", err)
	}
	secret := map[string]string{"authorization": "Bearer abc", "x-tenant": "1"}
	again := spool.New(spool.Options{Base: filepath.Dir(s.Dir())})
	if hash(s, secret) != hash(again, secret) {
		t.Error("equal headers, different hashes")
	}
	different := map[string]bool{hash(s, secret): true, hash(other, secret): true}
	for _, headers := range []map[string]string{
		{"authorization": "Bearer abd", "x-tenant": "1"},
		{"authorization": "Bearer abc"},
		{"authorization": "Bearer abcx-tenant", "": "1"},
		{"authorizatio": "nBearer abc", "x-tenant": "1"},
	} {
		different[hash(s, headers)] = true
	}
	different[hash(s, secret, []byte("query"))] = true
	different[hash(s, secret, []byte("que"), []byte("ry"))] = true
	if len(different) != 8 {
		t.Errorf("%d hashes, want 8", len(different))
	}
}

// Every process that starts with an empty spool must end up with the same key.
func TestKeyRace(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "cbc-otel")
	var mu sync.Mutex
	hashes := map[string]bool{}
	var done sync.WaitGroup
	for range 20 {
		done.Go(func() {
			h, err := spool.New(spool.Options{Base: base}).Hash(map[string]string{"a": "b"})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			hashes[h] = true
		})
	}
	done.Wait()
	if len(hashes) != 1 {
		t.Errorf("%d keys", len(hashes))
	}
	found, _ := filepath.Glob(filepath.Join(base, spool.Folder, ".writing-*"))
	if len(found) != 0 {
		t.Errorf("left behind: %v", found)
	}
}

// Many at once: each file is written once, sent once, and nothing is left that belongs to nobody.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "cbc-otel")
	const writers, each = 8, 10
	var mu sync.Mutex
	sent := map[string]int{}
	var done sync.WaitGroup
	for w := range writers {
		done.Go(func() {
			s := spool.New(spool.Options{Base: base})
			for i := range each {
				put(t, s, mine, 1, fmt.Sprintf("%d/%d", w, i))
				lock, err := s.Lock(mine)
				if err != nil {
					t.Error(err)
				}
				if lock == nil {
					continue
				}
				for _, e := range waiting(t, s, mine) {
					_, data, err := s.Load(e)
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					sent[string(data)]++
					mu.Unlock()
					if err := s.Remove(e); err != nil {
						t.Error(err)
					}
				}
				lock.Release()
			}
		})
	}
	done.Wait()
	s := spool.New(spool.Options{Base: base})
	for _, e := range waiting(t, s, mine) {
		_, data, err := s.Load(e)
		if err != nil {
			t.Error(err)
		}
		sent[string(data)]++
	}
	if len(sent) != writers*each {
		t.Errorf("%d of %d", len(sent), writers*each)
	}
	for data, n := range sent {
		if n != 1 {
			t.Errorf("%s: %d times", data, n)
		}
	}
}

func TestUnusable(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "cbc-otel")
	if err := os.WriteFile(base, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := spool.New(spool.Options{Base: base})
	if _, _, err := s.Put(spool.Header{Destination: mine}, []byte("x")); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("put: %v", err)
	}
	if err := s.MarkDown(mine, "x"); err == nil {
		t.Error("marked down nowhere")
	}
	if _, err := s.Hash(map[string]string{"a": "b"}); err == nil {
		t.Error("a key nowhere")
	}
}

// No file is taken for good that was not written here.
func FuzzLoad(f *testing.F) {
	base := filepath.Join(f.TempDir(), "cbc-otel")
	s := spool.New(spool.Options{Base: base, Now: func() time.Time { return time.Unix(1_800_000_000, 0).UTC() }}) // the same file in every process
	e, _, err := s.Put(spool.Header{Destination: mine, Spans: 1}, []byte("data"))
	if err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(e.Path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add([]byte("cbc-otel spool 1\n{}\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(e.Path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, data, err := s.Load(e)
		if bytes.Equal(content, good) != (err == nil) || err == nil && string(data) != "data" {
			t.Errorf("%q, %v", data, err)
		}
	})
}
