package spool

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrTooLarge says that a batch alone is more than the spool may hold.
var ErrTooLarge = errors.New("larger than the spool may be")

// Header describes a file.
type Header struct {
	Destination Destination `json:"destination"`
	Written     time.Time   `json:"written"`
	Spans       int         `json:"spans"`
	Reason      string      `json:"reason,omitempty"` // why it was not delivered
	Rules       string      `json:"rules,omitempty"`  // fingerprint of the privacy rules it was written under
	Version     string      `json:"version,omitempty"`
}

// A file is the magic line, the header as a line of JSON, the data (a TracesData message, which is also an export
// request), and the SHA-256 of all that.
const magic = "cbc-otel spool 1\n"

const temporary = ".writing-"

// Put writes data as a file and then keeps the spool within its bounds; removed is what had to go for it, possibly
// the new file itself. An error means that nothing was kept.
func (s *Spool) Put(h Header, data []byte) (e Entry, removed []Entry, err error) {
	if int64(len(data)) > s.options.MaxBytes {
		return e, nil, ErrTooLarge
	}
	dir, err := s.make()
	if err != nil {
		return e, nil, err
	}
	h.Written = s.options.Now()
	var b bytes.Buffer
	b.WriteString(magic)
	if err := json.NewEncoder(&b).Encode(h); err != nil {
		return e, nil, err
	}
	b.Write(data)
	sum := sha256.Sum256(b.Bytes())
	b.Write(sum[:])

	s.mu.Lock()
	s.next++
	number := s.next
	s.mu.Unlock()
	base := name(h.Destination.ID(), h.Written, os.Getpid(), number, h.Spans)
	path := filepath.Join(dir, base+suffix(Waiting))
	if err := writeFile(filepath.Join(dir, temporary+base), path, b.Bytes()); err != nil {
		return e, nil, err
	}
	e, _ = parseName(path)
	e.Bytes = int64(b.Len())
	removed, err = s.Sweep()
	if err != nil {
		return e, removed, nil // the file is there; the bounds are for the next one to keep
	}
	return e, removed, nil
}

// writeFile makes a file appear complete or not at all.
func writeFile(aside, path string, content []byte) error {
	f, err := os.OpenFile(aside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(aside, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	return nil
}

// Sweep removes what is too old, then the oldest until the spool is within its size. Files of a destination that is
// being sent are left to the sender.
func (s *Spool) Sweep() (removed []Entry, err error) {
	entries, err := s.all()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b Entry) int { return a.Written.Compare(b.Written) })
	var total int64
	for _, e := range entries {
		total += e.Bytes
	}
	now := s.options.Now()
	locks := make(map[string]*Lock)
	defer func() {
		for _, l := range locks {
			l.Release()
		}
	}()
	for _, e := range entries {
		if total <= s.options.MaxBytes && now.Sub(e.Written) <= s.options.MaxAge {
			continue
		}
		lock, tried := locks[e.Destination]
		if !tried {
			lock, _ = s.lockID(e.Destination)
			locks[e.Destination] = lock
		}
		if lock == nil {
			continue
		}
		switch err := os.Remove(e.Path); {
		case err == nil:
			removed = append(removed, e)
			total -= e.Bytes
		case errors.Is(err, fs.ErrNotExist):
			total -= e.Bytes // another process was quicker, and has counted it
		}
	}
	return removed, nil
}

// abandoned is the age at which a file that never got its name is removed: its writer is gone. What is known of a
// destination that was down is long out of date then, too.
const abandoned = time.Hour

// all lists the files of the spool in the order of their names.
func (s *Spool) all() ([]Entry, error) {
	found, err := os.ReadDir(s.Dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, f := range found {
		path := filepath.Join(s.Dir(), f.Name())
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if strings.HasPrefix(f.Name(), temporary) || strings.HasSuffix(f.Name(), downSuffix) {
			if s.options.Now().Sub(info.ModTime()) > abandoned {
				_ = os.Remove(path)
			}
			continue
		}
		if e, ok := parseName(path); ok {
			e.Bytes = info.Size()
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// Waiting lists the files of a destination that are to be sent, oldest first.
func (s *Spool) Waiting(d Destination) ([]Entry, error) {
	entries, err := s.all()
	id := d.ID()
	return slices.DeleteFunc(entries, func(e Entry) bool { return e.Destination != id || e.State != Waiting }), err
}

// List lists every file, by destination and then oldest first.
func (s *Spool) List() ([]Entry, error) { return s.all() }

// ErrCorrupt says that a file is not what was written.
var ErrCorrupt = errors.New("corrupt spool file")

// Load reads a file.
func (s *Spool) Load(e Entry) (h Header, data []byte, err error) {
	content, err := os.ReadFile(e.Path)
	if err != nil {
		return h, nil, err
	}
	rest, ok := bytes.CutPrefix(content, []byte(magic))
	if !ok || len(rest) < sha256.Size {
		return h, nil, fmt.Errorf("%w: %s", ErrCorrupt, e.Path)
	}
	end := len(content) - sha256.Size
	sum := sha256.Sum256(content[:end])
	line, data, ok := bytes.Cut(content[len(magic):end], []byte("\n"))
	if !ok || !bytes.Equal(sum[:], content[end:]) || json.Unmarshal(line, &h) != nil || h.Destination.ID() != e.Destination {
		return h, nil, fmt.Errorf("%w: %s", ErrCorrupt, e.Path)
	}
	return h, data, nil
}

// Header reads the header of a file. The file may be damaged all the same.
func (s *Spool) Header(e Entry) (h Header, err error) {
	f, err := os.Open(e.Path)
	if err != nil {
		return h, err
	}
	defer f.Close() //nolint:errcheck // only read
	lines := bufio.NewReader(f)
	first, err := lines.ReadString('\n')
	if err == nil && first == magic {
		var line []byte
		if line, err = lines.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(line, &h)
		}
	}
	if err != nil || first != magic {
		return h, fmt.Errorf("%w: %s", ErrCorrupt, e.Path)
	}
	return h, nil
}

// Remove removes a file whose data is delivered. The caller holds the destination's lock.
func (s *Spool) Remove(e Entry) error { return os.Remove(e.Path) }

// Move gives a file another state, so that it is not sent again by itself.
func (s *Spool) Move(e Entry, to State) error {
	return os.Rename(e.Path, strings.TrimSuffix(e.Path, filepath.Ext(e.Path))+suffix(to))
}
