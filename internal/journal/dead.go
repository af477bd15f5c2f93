package journal

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"cbc-otel/mapping"
)

// Dead is a journal whose owner is gone. It is locked until Close, so that no other process recovers it.
type Dead struct {
	Path   string
	Header Header
	Trees  []Recovered // not yet exported

	lock *flock.Flock
}

// Recovered is a workflow as the journal last saw it.
type Recovered struct {
	Key  string
	At   time.Time // when the newest event behind it was received; the end of what was open
	Tree mapping.Tree
}

// Open lists and locks the journals in dir whose owner is dead, oldest first. A directory that does not exist
// has none. Files that cannot be read are errors beside the list, each naming its file.
func Open(dir string) ([]*Dead, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
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
	keepNewest(dead)
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
	d := &Dead{Path: path, lock: lock}
	if err := d.read(); errors.Is(err, os.ErrNotExist) {
		return nil, d.Close() // as above, a moment later
	} else if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Dead) read() error {
	file, err := os.Open(d.Path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	lines := bufio.NewReaderSize(file, 1<<16)
	header, err := lines.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		return nil // killed before its first line was whole: nothing was in it
	} else if err != nil {
		return err
	}
	if err := json.Unmarshal(header, &d.Header); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if d.Header.Version != version {
		return fmt.Errorf("format %d, this program reads %d", d.Header.Version, version)
	}
	state := map[string]*partial{}
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break // the last line may be torn
		}
		var r record
		if json.Unmarshal(line, &r) != nil {
			continue // torn by a kill; a mark may follow it
		}
		if r.Exported != "" {
			delete(state, r.Exported)
		}
		if r.Workflow != nil {
			merge(state, r.Workflow)
		}
	}
	for key, p := range state {
		tree, err := p.tree()
		if err != nil {
			return fmt.Errorf("workflow %s: %w", key, err)
		}
		d.Trees = append(d.Trees, Recovered{Key: key, At: p.at, Tree: tree})
	}
	slices.SortFunc(d.Trees, func(a, b Recovered) int {
		return cmp.Or(a.Tree.Spans[0].Start.Compare(b.Tree.Spans[0].Start), cmp.Compare(a.Key, b.Key))
	})
	return nil
}

// partial is a workflow while its records are read.
type partial struct {
	task  string
	at    time.Time
	spans map[string]jSpan
}

func merge(state map[string]*partial, w *jWorkflow) {
	p := state[w.Key]
	if p == nil {
		p = &partial{spans: map[string]jSpan{}}
		state[w.Key] = p
	}
	p.task, p.at = w.Task, time.Unix(0, w.At).UTC()
	for _, id := range w.Gone {
		delete(p.spans, id)
	}
	for _, s := range w.Spans {
		p.spans[s.ID] = s
	}
}

func (p *partial) tree() (mapping.Tree, error) {
	ordered := make([]jSpan, 0, len(p.spans))
	for _, s := range p.spans {
		ordered = append(ordered, s)
	}
	slices.SortFunc(ordered, func(a, b jSpan) int { return a.Order - b.Order })
	tree := mapping.Tree{TaskID: p.task}
	for _, j := range ordered {
		s, err := decodeSpan(j, p.at)
		if err != nil {
			return tree, err
		}
		tree.Spans = append(tree.Spans, s)
	}
	if len(tree.Spans) == 0 || tree.Spans[0].Kind != mapping.WorkflowSpan {
		return tree, errors.New("has no root")
	}
	closeTree(tree.Spans)
	return tree, nil
}

// closeTree widens the root over spans that end after the last event was received: clocks differ.
func closeTree(spans []mapping.Span) {
	end := spans[0].End
	for _, s := range spans {
		if s.End.After(end) {
			end = s.End
		}
	}
	spans[0].End = end
}

// keepNewest drops workflows that a newer journal of the same process holds as well.
func keepNewest(dead []*Dead) {
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
func (d *Dead) Exported(key string) error {
	file, err := os.OpenFile(d.Path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	line, err := json.Marshal(record{Exported: key})
	if err == nil {
		// A torn last line must not swallow the mark.
		_, err = file.Write(append(append([]byte{'\n'}, line...), '\n'))
	}
	return errors.Join(err, file.Close())
}

// Remove deletes the journal; call it when all its trees are exported.
func (d *Dead) Remove() error { return os.Remove(d.Path) }

// Close gives the journal up for other processes.
func (d *Dead) Close() error { return d.lock.Unlock() }
