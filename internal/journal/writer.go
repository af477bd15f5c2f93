// Package journal keeps, in a file, what is needed to rebuild the workflows of a process that was killed.
//
// The owner appends, for each open workflow, the spans that changed since its last record, as they would be
// exported if the stream ended there: the privacy rules have been applied to them, and nothing is stored that
// would not leave. The file is locked while its owner lives; [Dead] finds those whose owner does not.
package journal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/gofrs/flock"

	"cbc-otel/mapping"
)

const (
	version = 1
	suffix  = ".journal"
	// DefaultMaxBytes bounds the file: beyond it the journal is started anew with the newest spans alone.
	DefaultMaxBytes = 64 << 20
)

// OpenEnd is the end to give a tree's open spans (see [Writer.Append]): later than any time a stream may hold.
var OpenEnd = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// Writer is the journal of this process. It is not safe for concurrent use.
type Writer struct {
	dir      string
	header   Header
	maxBytes int64
	file     *os.File
	lock     *flock.Flock
	size     int64
	floor    int64 // size after the last restart
	restarts int
	open     map[string]*workflow
}

// workflow remembers what the file holds of one workflow.
type workflow struct {
	last   mapping.Tree
	at     time.Time
	sums   map[mapping.SpanID]uint64
	lostIn []string
}

// Create makes and locks a new journal in dir, which must exist. Its error names the file.
func Create(dir string, header Header, maxBytes int64) (*Writer, error) {
	header.Version = version
	w := &Writer{dir: dir, header: header, maxBytes: maxBytes, open: map[string]*workflow{}}
	if err := w.start(); err != nil {
		return nil, err
	}
	return w, nil
}

// start begins a file. One that is new and not yet locked looks like that of a dead owner: a process that looks for
// those may lock it first, and remove it. Then another one is begun.
func (w *Writer) start() error {
	for tries := 1; ; tries++ {
		err := w.tryStart()
		if !errors.Is(err, errLocked) || tries == maxTries {
			return err
		}
	}
}

const maxTries = 20

func (w *Writer) tryStart() error {
	// The pid alone is not unique: a container starts every process as pid 1 or so.
	pattern := strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(w.restarts) + "-*" + suffix
	file, err := os.CreateTemp(w.dir, pattern) // mode 0600
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	lock := flock.New(file.Name())
	ok, err := lock.TryLock()
	if err != nil {
		_ = file.Close()
		_ = os.Remove(file.Name())
		return fmt.Errorf("journal: %s cannot be locked: %w", file.Name(), err)
	}
	if !ok { // who has it removes it
		_ = file.Close()
		return fmt.Errorf("journal: %s cannot be locked: %w", file.Name(), errLocked)
	}
	if !stillThere(file) {
		_ = file.Close()
		_ = lock.Unlock()
		return fmt.Errorf("journal: %s was removed: %w", file.Name(), errLocked)
	}
	w.file, w.lock, w.size = file, lock, 0
	if err := w.write(w.header); err != nil {
		w.Discard()
		return err
	}
	return nil
}

// stillThere says whether the file is the one of its name.
func stillThere(file *os.File) bool {
	ours, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(file.Name())
	return err == nil && os.SameFile(ours, named)
}

var errLocked = errors.New("not available")

// Key names a workflow's tree: the same in every process that sees the same stream.
func Key(tree mapping.Tree) string {
	root := tree.Spans[0]
	return hex.EncodeToString(root.TraceID[:]) + hex.EncodeToString(root.SpanID[:])
}

// Change is what is new of a tree: all of it as it is now. Spans that end with the workflow, wherever that will be, have
// [OpenEnd] as their end; At is when the newest event behind the tree was received. Of a tree without spans nothing is
// to be kept any more: the rules dropped it.
type Change struct {
	Key  string
	At   time.Time
	Tree mapping.Tree
}

// Changed is a tree's change under its own key.
func Changed(at time.Time, tree mapping.Tree) Change {
	return Change{Key: Key(tree), At: at, Tree: tree}
}

// Append stores what changed in trees since the last call for them, all or nothing of it: a process that is killed
// meanwhile leaves them as they were at one moment.
func (w *Writer) Append(changes ...Change) error {
	var records [][]byte
	for _, c := range changes {
		known := w.open[c.Key]
		if len(c.Tree.Spans) == 0 {
			if known != nil {
				delete(w.open, c.Key)
				records = append(records, encodeMark(record{Exported: c.Key}))
			}
			continue
		}
		if known == nil {
			known = &workflow{sums: map[mapping.SpanID]uint64{}}
			w.open[c.Key] = known
		}
		before := known.last.Spans
		known.last, known.at = c.Tree, c.At
		r, err := encodeChanged(c.Key, known, before)
		if err != nil {
			return err
		}
		records = append(records, r)
	}
	if err := w.appendAll(records); err != nil {
		return err
	}
	if w.size > w.maxBytes && w.size > 2*w.floor {
		return w.restart()
	}
	return nil
}

// appendAll writes records as one line.
func (w *Writer) appendAll(records [][]byte) error {
	switch len(records) {
	case 0:
		return nil
	case 1:
		return w.append(records[0])
	}
	return w.append(slices.Concat([]byte(`{"all":[`), bytes.Join(records, []byte(",")), []byte("]}")))
}

// encodeMark is a record without a workflow, which is sure to be encoded.
func encodeMark(r record) []byte {
	line, _ := json.Marshal(r)
	return line
}

// encodeChanged makes a record of the spans that differ from what the file holds; those that are as before need not be
// encoded to be known the same.
func encodeChanged(key string, known *workflow, before []mapping.Span) ([]byte, error) {
	changed := jWorkflow{Key: key, Task: known.last.TaskID, At: known.at.UnixNano()}
	var spans [][]byte
	present := make(map[mapping.SpanID]bool, len(known.last.Spans))
	for i := range known.last.Spans {
		span := &known.last.Spans[i]
		present[span.SpanID] = true
		if i < len(before) && same(span, &before[i]) {
			continue
		}
		line, err := encodeSpan(span, i)
		if err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		sum := xxhash.Sum64(line)
		if old, ok := known.sums[span.SpanID]; ok && old == sum {
			continue
		}
		known.sums[span.SpanID] = sum
		spans = append(spans, line)
	}
	for id := range known.sums {
		if !present[id] {
			delete(known.sums, id)
			changed.Gone = append(changed.Gone, hex.EncodeToString(id[:]))
		}
	}
	// The spans are encoded already, and need not be read once more to be put into a record.
	line, err := json.Marshal(record{Workflow: &changed})
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	head, tail, _ := bytes.Cut(line, []byte(`"spans":null`))
	return slices.Concat(head, []byte(`"spans":[`), bytes.Join(spans, []byte(",")), []byte("]"), tail), nil
}

// Lost marks a tree that these exporters lost while the others have it: it will be recovered for them alone.
func (w *Writer) Lost(key string, in []string) error {
	known := w.open[key]
	if known == nil {
		return nil
	}
	known.lostIn = in
	return w.append(encodeMark(record{Lost: jLost{key, in}}))
}

// Exported marks a tree as accepted by every exporter, spooled, or not to be exported: it will not be recovered.
func (w *Writer) Exported(key string) error {
	if w.open[key] == nil {
		return nil
	}
	delete(w.open, key)
	return w.append(encodeMark(record{Exported: key}))
}

// restart begins a new file with the newest spans alone and then removes the old one. Killed in between, both
// are there; [Dead] takes the newer.
func (w *Writer) restart() error {
	old, oldLock := w.file, w.lock
	w.restarts++
	if err := w.start(); err != nil {
		w.file, w.lock = old, oldLock
		return err
	}
	if err := w.writeOpen(); err != nil {
		w.Discard()
		w.file, w.lock = old, oldLock
		return err
	}
	w.floor = w.size
	_ = os.Remove(old.Name())
	_ = oldLock.Unlock()
	return old.Close()
}

// writeOpen writes all that is open into a new file.
func (w *Writer) writeOpen() error {
	var records [][]byte
	for key, known := range w.open {
		clear(known.sums)
		r, err := encodeChanged(key, known, nil)
		if err != nil {
			return err
		}
		records = append(records, r)
		if len(known.lostIn) > 0 {
			records = append(records, encodeMark(record{Lost: jLost{key, known.lostIn}}))
		}
	}
	return w.appendAll(records)
}

func (w *Writer) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return w.append(line)
}

// append appends one line by one write, so that a kill tears at most the last line.
func (w *Writer) append(line []byte) error {
	n, err := w.file.Write(append(line, '\n'))
	w.size += int64(n)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// Close ends the journal. It removes the file if every workflow in it was exported.
func (w *Writer) Close() error {
	if len(w.open) == 0 {
		w.Discard()
		return nil
	}
	return errors.Join(w.lock.Unlock(), w.file.Close())
}

// Discard gives the journal up, with all that is in it. After an error there is nothing better: a file that lacks what
// came later would tell of workflows as open that have ended.
func (w *Writer) Discard() {
	_ = os.Remove(w.file.Name())
	_ = w.lock.Unlock()
	_ = w.file.Close()
}

// Path is where the journal is now.
func (w *Writer) Path() string { return filepath.Clean(w.file.Name()) }
