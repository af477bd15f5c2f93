package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"cbc-otel/mapping"
)

// MaxAge is how long a journal is kept that nobody recovers.
const MaxAge = 7 * 24 * time.Hour

// Dead is a journal whose owner is gone. It is locked until Close, so that no other process recovers it.
type Dead struct {
	Path     string
	Modified time.Time
	Header   Header
	Trees    []Recovered // not yet exported; see Load
	Err      error       // why it cannot be read at all; it names the file

	lock *flock.Flock
}

// Recovered is a workflow as the journal last saw it.
type Recovered struct {
	Key  string
	At   time.Time // when the newest event behind it was received; the end of what was open
	Tree mapping.Tree
	Open []mapping.SpanID // spans that had not ended; they end at At in Tree
	// LostIn names the exporters that lost it while the others have it; none: no exporter has it.
	LostIn []string
}

// Open lists and locks the journals in dir whose owner is dead; of what is in them only the header is read. A directory
// that does not exist has none. Errors beside the list name their files.
func Open(dir string) ([]*Dead, error) {
	paths, err := Paths(dir)
	if err != nil {
		return nil, err
	}
	var dead []*Dead
	var errs []error
	for _, path := range paths {
		d, err := openDead(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("journal %s: %w", path, err))
		}
		if d != nil {
			dead = append(dead, d)
		}
	}
	return dead, errors.Join(errs...)
}

func openDead(path string) (*Dead, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // its owner has just ended in order
	}
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY)) // never creates a file another process just removed
	if ok, err := lock.TryLock(); err != nil || !ok {
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	d := &Dead{Path: path, Modified: info.ModTime(), lock: lock}
	if err := d.readHeader(); errors.Is(err, os.ErrNotExist) {
		return nil, d.Close() // as above, a moment later
	} else if err != nil {
		d.Err = fmt.Errorf("journal %s: %w", path, err)
	}
	return d, nil
}

func (d *Dead) readHeader() error {
	file, err := os.Open(d.Path)
	if err != nil {
		return err
	}
	d.Header, err = readHeader(bufio.NewReader(file))
	return errors.Join(err, file.Close())
}

// Load reads the trees. An error names the file; [ErrDamaged] is about some of them, which are not there.
func (d *Dead) Load() (err error) {
	if _, d.Trees, err = Read(d.Path); err != nil {
		return fmt.Errorf("journal %s: %w", d.Path, err)
	}
	return nil
}

// KeepNewest drops workflows that a newer journal of the same process holds as well.
func KeepNewest(dead []*Dead) {
	newest := map[string]time.Time{}
	for _, d := range dead {
		for _, t := range d.Trees {
			if t.At.After(newest[t.Key]) {
				newest[t.Key] = t.At
			}
		}
	}
	for _, d := range dead {
		d.Trees = slices.DeleteFunc(d.Trees, func(t Recovered) bool {
			if t.At.Equal(newest[t.Key]) {
				newest[t.Key] = time.Time{} // only once
				return false
			}
			return true
		})
	}
}

// Exported marks a tree so that it is not recovered again, even if this process is killed now.
func (d *Dead) Exported(key string) error { return d.mark(record{Exported: key}) }

// Lost marks a tree that these exporters lost while the others have it.
func (d *Dead) Lost(key string, in []string) error { return d.mark(record{Lost: jLost{key, in}}) }

func (d *Dead) mark(r record) error {
	file, err := os.OpenFile(d.Path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	before, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	line, err := json.Marshal(r)
	if err == nil {
		// A torn last line must not swallow the mark.
		_, err = file.Write(append(append([]byte{'\n'}, line...), '\n'))
	}
	// A mark is no news: the age of the journal is that of its workflows.
	return errors.Join(err, file.Close(), os.Chtimes(d.Path, time.Time{}, before.ModTime()))
}

// Remove deletes the journal; call it when all its trees are exported.
func (d *Dead) Remove() error { return os.Remove(d.Path) }

// Close gives the journal up for other processes.
func (d *Dead) Close() error { return d.lock.Unlock() }
