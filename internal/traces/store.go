package traces

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Stored is the local store: folders of days with files of OTLP JSON lines. It remembers what it read of files that
// have not changed since. It is safe for concurrent use.
type Stored struct {
	dir     string
	options Options

	mu   sync.Mutex
	seen map[string]listed
}

// listed is what a file held when it had this size and time.
type listed struct {
	stamp fileStamp
	rows  []Summary
}

type fileStamp struct {
	size     int64
	modified time.Time
}

// Store reads the local store in dir. A folder that does not exist is an empty store.
func Store(dir string, o Options) *Stored {
	return &Stored{dir: dir, options: o, seen: map[string]listed{}}
}

// Filter says which workflows to list. Zero fields let all pass.
type Filter struct {
	Status   string
	Workflow string // in the name, whatever the case
	Since    time.Time
	Limit    int // at most so many, the newest
}

// Match reports whether a row passes, but for the limit.
func (f Filter) Match(s Summary) bool {
	return (f.Status == "" || s.Status == f.Status) && !s.Start.Before(f.Since) &&
		(f.Workflow == "" || strings.Contains(strings.ToLower(s.Workflow), strings.ToLower(f.Workflow)))
}

// Cut sorts rows, newest first, leaves out those that do not pass and those that are there twice, and applies the
// limit.
func (f Filter) Cut(rows []Summary) []Summary {
	slices.SortStableFunc(rows, newestFirst)
	seen := make(map[string]bool, len(rows))
	rows = slices.DeleteFunc(rows, func(s Summary) bool {
		again := seen[s.Key()]
		seen[s.Key()] = true
		return again || !f.Match(s)
	})
	if f.Limit > 0 && len(rows) > f.Limit {
		rows = rows[:f.Limit]
	}
	return rows
}

func newestFirst(a, b Summary) int { return b.Start.Compare(a.Start) }

// List lists the workflows of the store, newest first.
func (s *Stored) List(f Filter) ([]Summary, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	s.forget(files)
	var rows []Summary
	for _, file := range files {
		// What is in a file began before it was written last, so that files older than what is asked for, or than
		// the last row there is room for, need not be read.
		if file.modified.Before(f.Since) {
			break
		}
		if f.Limit > 0 && len(rows) >= f.Limit {
			if rows = f.Cut(rows); len(rows) == f.Limit && rows[f.Limit-1].Start.After(file.modified) {
				break
			}
		}
		some, err := s.rows(file)
		if err != nil {
			s.options.report(file.path, 0, err)
		}
		for _, row := range some {
			if f.Match(row) {
				rows = append(rows, row)
			}
		}
	}
	return f.Cut(rows), nil
}

// ErrNotFound says that there is no such trace.
var ErrNotFound = errors.New("no such trace")

// Open returns the workflows of one trace: the one whose id, or key (see [Trace.Key]), starts so. The id is in
// hexadecimal digits.
func (s *Stored) Open(prefix string) ([]Trace, error) {
	prefix = strings.ToLower(prefix)
	trace, _, _ := strings.Cut(prefix, "/")
	if trace == "" || strings.Trim(trace, "0123456789abcdef") != "" || len(trace) > 32 {
		return nil, fmt.Errorf("%q is no trace id: %w", prefix, ErrNotFound)
	}
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	var found []Trace
	for _, file := range files {
		data, err := os.ReadFile(file.path)
		if err != nil || !bytes.Contains(data, []byte(`"traceId":"`+trace)) {
			continue
		}
		all, err := Read(bytes.NewReader(data), file.path, file.modified, s.options)
		if err != nil {
			s.options.report(file.path, 0, err)
		}
		found = append(found, all...)
	}
	return Select(found, prefix)
}

// Select returns those of the traces whose key starts with the prefix, each once and the newest first. That must be
// workflows of one trace.
func Select(all []Trace, prefix string) ([]Trace, error) {
	var found []Trace
	seen := map[string]bool{}
	for _, t := range all {
		if key := t.Key(); strings.HasPrefix(key, strings.ToLower(prefix)) && !seen[key] {
			seen[key] = true
			found = append(found, t)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: %w", prefix, ErrNotFound)
	}
	slices.SortStableFunc(found, func(a, b Trace) int { return b.Tree.Spans[0].Start.Compare(a.Tree.Spans[0].Start) })
	for _, t := range found {
		if t.ID != found[0].ID {
			return nil, fmt.Errorf("%s is the start of several trace ids, %s and %s among them", prefix, hex.EncodeToString(found[0].ID[:]), hex.EncodeToString(t.ID[:]))
		}
	}
	return found, nil
}

// Stamp changes whenever the store may have: compare two of them.
func (s *Stored) Stamp() (string, error) {
	files, err := s.files()
	if err != nil {
		return "", err
	}
	return stamp(files), nil
}

func stamp(files []storedFile) string {
	var total int64
	var newest time.Time
	for _, f := range files {
		total += f.size
		if f.modified.After(newest) {
			newest = f.modified
		}
	}
	return fmt.Sprintf("%d files, %d bytes, %d", len(files), total, newest.UnixNano())
}

// rows sums up a file, or remembers what it held.
func (s *Stored) rows(file storedFile) ([]Summary, error) {
	s.mu.Lock()
	known, ok := s.seen[file.path]
	s.mu.Unlock()
	if ok && known.stamp == file.fileStamp {
		return slices.Clone(known.rows), nil
	}
	all, err := ReadFile(file.path, s.options)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // another run has just swept
	}
	rows := make([]Summary, 0, len(all))
	for _, t := range all {
		rows = append(rows, t.Summary())
	}
	if err == nil {
		s.mu.Lock()
		s.seen[file.path] = listed{file.fileStamp, slices.Clone(rows)}
		s.mu.Unlock()
	}
	return rows, err
}

// forget lets go of what is known of files that are no longer there.
func (s *Stored) forget(there []storedFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) <= len(there) {
		return
	}
	known := make(map[string]listed, len(there))
	for _, file := range there {
		if l, ok := s.seen[file.path]; ok {
			known[file.path] = l
		}
	}
	s.seen = known
}

type storedFile struct {
	path string
	fileStamp
}

// files lists the files of the store, those written last first. What has another name than the store gives is left
// alone.
func (s *Stored) files() ([]storedFile, error) {
	days, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files []storedFile
	for _, day := range days {
		if _, err := time.Parse(time.DateOnly, day.Name()); err != nil || !day.IsDir() {
			continue
		}
		found, err := filesIn(filepath.Join(s.dir, day.Name()), ".jsonl")
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	slices.SortFunc(files, func(a, b storedFile) int {
		return cmp.Or(b.modified.Compare(a.modified), strings.Compare(b.path, a.path))
	})
	return files, nil
}

// filesIn lists the files in a folder whose names end so. One that does not exist, or no longer, has none.
func filesIn(dir, suffix string) ([]storedFile, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files []storedFile
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), suffix) {
			files = append(files, storedFile{filepath.Join(dir, e.Name()), fileStamp{info.Size(), info.ModTime()}})
		}
	}
	return files, nil
}
