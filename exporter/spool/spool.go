// Package spool keeps OTLP data that could not be delivered, until a later run can.
//
// A file holds one batch and where it was to go. It appears under its name complete (written aside, then renamed),
// carries a checksum, and belongs to a destination: exporter, endpoint, protocol and a keyed hash of the headers, so
// that one project's traces never go to another's backend, and no secret is stored. Sending takes the destination's
// lock, so no two processes send the same file. Size and age are bounded; what the bounds remove is reported.
package spool

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"cbc-otel/internal/statedir"
)

// Bounds of a spool.
const (
	DefaultMaxBytes = 100 << 20
	DefaultMaxAge   = 7 * 24 * time.Hour
)

// Folder is the spool's name in the program's folder.
const Folder = "spool"

// Destination says where data was to go. None of it is secret.
type Destination struct {
	Exporter string `json:"exporter"`
	Endpoint string `json:"endpoint"`
	Protocol string `json:"protocol"`
	Headers  string `json:"headers,omitempty"` // see [Spool.Hash]
}

// ID is short and the same for equal destinations; it starts the names of their files.
func (d Destination) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{d.Exporter, d.Endpoint, d.Protocol, d.Headers}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

func (d Destination) String() string {
	return fmt.Sprintf("%s %s (%s)", d.Exporter, d.Endpoint, d.Protocol)
}

// Options of a spool. Zero fields have their defaults.
type Options struct {
	Base     string // the program's folder, as of statedir.Base; the spool is a folder in it
	Folder   string // its name; default Folder
	MaxBytes int64
	MaxAge   time.Duration
	Now      func() time.Time
}

// Spool is the folder. Nothing is read or made before it is used. It is safe for concurrent use, by other processes
// too.
type Spool struct {
	options Options

	mu   sync.Mutex
	next int // numbers the files of this process
}

// New returns a spool.
func New(o Options) *Spool {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxAge <= 0 {
		o.MaxAge = DefaultMaxAge
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Folder == "" {
		o.Folder = Folder
	}
	return &Spool{options: o}
}

// Dir is the spool's folder; it need not exist.
func (s *Spool) Dir() string { return filepath.Join(s.options.Base, s.options.Folder) }

func (s *Spool) make() (string, error) {
	dir, _, err := statedir.Make(s.options.Base, s.options.Folder)
	return dir, err
}

// State of a file.
type State string

const (
	Waiting   State = "waiting"   // to be sent
	SetAside  State = "set aside" // a receiver refused it for what is in it; only sent when asked for
	Corrupt   State = "corrupt"   // its checksum is wrong
	unrelated State = ""
)

var suffixes = map[string]State{".otlp": Waiting, ".refused": SetAside, ".corrupt": Corrupt}

func suffix(of State) string {
	for s, state := range suffixes {
		if state == of {
			return s
		}
	}
	return ""
}

// Entry is a file of the spool, as its name tells.
type Entry struct {
	Path        string
	Destination string // its ID
	Written     time.Time
	Writer      string // the process, as far as its number tells: one run's files have the same
	Spans       int
	Bytes       int64
	State       State
}

// name is ID-time-process-number-spans.suffix: sorted by name, a destination's files are in the order of time.
func name(dest string, at time.Time, pid, number, spans int) string {
	return fmt.Sprintf("%s-%019d-%d-%d-%d", dest, at.UnixNano(), pid, number, spans)
}

func parseName(file string) (e Entry, ok bool) {
	ext := filepath.Ext(file)
	e.State = suffixes[ext]
	parts := strings.Split(strings.TrimSuffix(filepath.Base(file), ext), "-")
	if e.State == unrelated || len(parts) != 5 {
		return e, false
	}
	at, errTime := strconv.ParseInt(parts[1], 10, 64)
	spans, errSpans := strconv.Atoi(parts[4])
	if errTime != nil || errSpans != nil || spans < 0 {
		return e, false
	}
	e.Path, e.Destination, e.Written, e.Writer, e.Spans = file, parts[0], time.Unix(0, at), parts[2], spans
	return e, true
}
