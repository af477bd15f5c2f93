// Package say is the one writer for everything the program prints about itself.
//
// All of it goes to stderr, a line a write, each line starting with "cbc-otel: ". Text comes from servers,
// paths and command lines too, so it is cleaned first: see [Clean] and [Inert].
package say

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// ErrStalled says that nobody reads what is written.
var ErrStalled = errors.New("nobody reads it")

// Prefix starts every line.
const Prefix = "cbc-otel: "

// MaxLine is the longest line written, in bytes with prefix and newline. A write of at most this size into
// a pipe is not mixed with those of other processes (PIPE_BUF on Linux).
const MaxLine = 4096

// maxOnce bounds what [Logger.Once] remembers.
const maxOnce = 1024

// Logger prints messages of at least its level. It is safe for concurrent use, and a nil Logger is silent.
type Logger struct {
	mu       sync.Mutex
	out      io.Writer
	level    Level
	mask     func(string) string
	once     map[string]bool
	warnings int
	errors   int
	status   []string // shown below what is printed: see Status
}

// New returns a logger that writes to out, usually [Stderr].
func New(out io.Writer, level Level) *Logger {
	return &Logger{out: out, level: level}
}

// SetLevel changes the level of what is printed from now on.
func (l *Logger) SetLevel(level Level) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.level = level
}

// SetMask makes every text go through mask before it is cut and written, to take secrets out of it.
func (l *Logger) SetMask(mask func(string) string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mask = mask
}

// Enabled reports whether messages of this level are printed, to save the work of making one.
func (l *Logger) Enabled(level Level) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return level >= l.level
}

func (l *Logger) Debugf(format string, args ...any) { l.Logf(Debug, format, args...) }
func (l *Logger) Infof(format string, args ...any)  { l.Logf(Info, format, args...) }
func (l *Logger) Warnf(format string, args ...any)  { l.Logf(Warn, format, args...) }
func (l *Logger) Errorf(format string, args ...any) { l.Logf(Error, format, args...) }

// Logf prints one line, whatever the text holds. Warnings and errors are counted even when their level is
// not printed.
func (l *Logger) Logf(level Level, format string, args ...any) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log(level, format, args)
}

// Once is Logf for the first message with this key, and nothing for the others.
func (l *Logger) Once(key string, level Level, format string, args ...any) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.once[key] || len(l.once) >= maxOnce {
		return
	}
	if l.once == nil {
		l.once = make(map[string]bool)
	}
	l.once[key] = true
	l.log(level, format, args)
}

func (l *Logger) log(level Level, format string, args []any) {
	switch level {
	case Warn:
		l.warnings++
	case Error:
		l.errors++
	}
	if level < l.level {
		return
	}
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	l.line(level.label(), l.masked(Clean(text)))
}

// Print writes text whatever the level, a line for each of its lines: what the user asked to see.
func (l *Logger) Print(text string) { l.print(text, false) }

// PrintStyled is Print for text with colours: SGR sequences (ESC [ … m) are left in. Only for text whose
// untrusted parts were cleaned before they were put in, and for terminals.
func (l *Logger) PrintStyled(text string) { l.print(text, true) }

func (l *Logger) print(text string, styled bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	text = l.masked(clean(strings.TrimSuffix(text, "\n"), true, styled))
	for line := range strings.SplitSeq(text, "\n") {
		l.line("", line)
	}
}

// Writer returns a writer that prints each text written to it like [Logger.Print].
func (l *Logger) Writer() io.Writer { return printer{l} }

type printer struct{ l *Logger }

func (p printer) Write(b []byte) (int, error) {
	p.l.Print(string(b))
	return len(b), nil
}

// Counts returns the number of warnings and errors so far.
func (l *Logger) Counts() (warnings, errors int) {
	if l == nil {
		return 0, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.warnings, l.errors
}

func (l *Logger) masked(text string) string {
	if l.mask == nil {
		return text
	}
	return l.mask(text)
}

// line writes one line in one write. There is nobody to tell about a failure.
func (l *Logger) line(label, text string) {
	text = cut(Inert(label+strings.TrimRight(text, " ")), MaxLine-len(Prefix)-1)
	if len(l.status) > 0 {
		_, _ = io.WriteString(l.out, erase+Prefix+text+"\r\n"+below(l.status))
		return
	}
	_, _ = io.WriteString(l.out, Prefix+text+"\n")
}
