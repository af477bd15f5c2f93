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
	"strings"
	"time"

	"github.com/gofrs/flock"

	"cbc-otel/mapping"
)

// ErrDamaged says that some workflows of a journal could not be read; the others were.
var ErrDamaged = errors.New("damaged")

// Read returns what is in a journal at this moment, whether its owner lives or not. It takes no lock.
func Read(path string) (header Header, trees []Recovered, err error) {
	file, err := os.Open(path)
	if err != nil {
		return header, nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	lines := bufio.NewReaderSize(file, 1<<16)
	if header, err = readHeader(lines); err != nil {
		return header, nil, err
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
		apply(state, r)
	}
	var errs []error
	for key, p := range state {
		tree, open, err := p.tree()
		if err != nil {
			errs = append(errs, fmt.Errorf("workflow %s: %w: %w", key, ErrDamaged, err))
			continue
		}
		trees = append(trees, Recovered{Key: key, At: p.at, Tree: tree, Open: open, LostIn: p.lostIn})
	}
	widenSessions(trees)
	slices.SortFunc(trees, func(a, b Recovered) int {
		return cmp.Or(a.Tree.Spans[0].Start.Compare(b.Tree.Spans[0].Start), cmp.Compare(a.Key, b.Key))
	})
	return header, trees, errors.Join(errs...)
}

// readHeader reads the first line. That of an owner that was killed before its line was whole is empty: nothing was in
// the journal.
func readHeader(lines *bufio.Reader) (h Header, err error) {
	first, err := lines.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		return h, nil
	} else if err != nil {
		return h, err
	}
	if err := json.Unmarshal(first, &h); err != nil {
		return h, fmt.Errorf("header: %w", err)
	}
	if h.Version != version {
		return h, fmt.Errorf("format %d, this program reads %d", h.Version, version)
	}
	return h, nil
}

// Paths lists the journals in dir. A folder that does not exist has none.
func Paths(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}

// Alive reports whether the owner of a journal lives. To ask, it shares the file's lock for a moment; a journal that
// was written within the last seconds is taken for alive unasked, so that its owner is never kept from locking a new
// one.
func Alive(path string, now time.Time) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if now.Sub(info.ModTime()) < freshFor {
		return true
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if free {
		_ = lock.Unlock()
	}
	return err == nil && !free
}

// freshFor is how long a journal counts as alive after a write.
const freshFor = 2 * time.Second

// partial is a workflow while its records are read.
type partial struct {
	task   string
	at     time.Time
	spans  map[string]jSpan
	lostIn []string
}

func apply(state map[string]*partial, r record) {
	for _, one := range r.All {
		apply(state, one)
	}
	switch p := state[r.Lost.Key]; {
	case r.Exported != "":
		delete(state, r.Exported)
	case r.Workflow != nil:
		merge(state, r.Workflow)
	case p != nil:
		p.lostIn = r.Lost.In
	}
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

func (p *partial) tree() (tree mapping.Tree, open []mapping.SpanID, err error) {
	ordered := make([]jSpan, 0, len(p.spans))
	for _, s := range p.spans {
		ordered = append(ordered, s)
	}
	slices.SortFunc(ordered, func(a, b jSpan) int { return a.Order - b.Order })
	tree.TaskID = p.task
	for _, j := range ordered {
		s, err := decodeSpan(j, p.at)
		if err != nil {
			return tree, nil, err
		}
		tree.Spans = append(tree.Spans, s)
		if j.End == 0 {
			open = append(open, s.SpanID)
		}
	}
	if len(tree.Spans) == 0 || tree.Spans[0].Kind == mapping.PhaseSpan || tree.Spans[0].Kind == mapping.AgentSpan || tree.Spans[0].Kind == "" {
		return tree, nil, errors.New("has no root")
	}
	closeTree(tree.Spans)
	return tree, open, nil
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

// widenSessions lets the span of a command that was killed last as long as what is known of its workflows.
func widenSessions(trees []Recovered) {
	for i := range trees {
		session := &trees[i].Tree.Spans[0]
		if session.Kind != mapping.SessionSpan {
			continue
		}
		for _, t := range trees {
			root := t.Tree.Spans[0]
			if root.ParentID == session.SpanID && root.TraceID == session.TraceID && root.End.After(session.End) {
				session.End = root.End
			}
		}
	}
}
