package say

import (
	"io"
	"strconv"
	"strings"
)

// Terminal sequences (ECMA-48, and those of the VT100 that every terminal knows).
const (
	erase   = "\x1b[J" // from the cursor to the end of the screen
	save    = "\x1b7"
	restore = "\x1b8"
	index   = "\x1bD" // down, scrolling at the end of the screen; the column stays
	down    = "\r\x1b[B"
)

// Status shows lines below the cursor of a terminal, in place of those shown before; none takes them away. The cursor
// stays where it was, so that whatever others print goes above and nothing of it is ever erased; between the two one
// line is left free for that. No mode of the terminal is changed. Lines must be narrower than the terminal, and fewer
// than its lines. It reports false, and shows nothing, where the reader does not read at the moment.
func (l *Logger) Status(lines []string) bool {
	if l == nil {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(lines) == 0 && len(l.status) == 0 {
		return true
	}
	if !ready(l.out) {
		return false
	}
	l.status = l.status[:0]
	for _, line := range lines {
		l.status = append(l.status, l.masked(Clean(line)))
	}
	_, _ = io.WriteString(l.out, erase+below(l.status))
	return true
}

// TryPrint is [Logger.Print] for one line that nobody must wait for: where the reader does not read at the moment it
// prints nothing and reports false.
func (l *Logger) TryPrint(text string) bool {
	if l == nil {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !ready(l.out) {
		return false
	}
	l.line("", l.masked(Clean(text)))
	return true
}

// below writes lines below the cursor and comes back.
func below(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	n := len(lines) + 1
	var b strings.Builder
	b.WriteString(strings.Repeat(index, n) + "\x1b[" + strconv.Itoa(n) + "A" + save + down)
	for _, line := range lines {
		b.WriteString(down + line)
	}
	return b.String() + restore
}

// ready reports whether a short write would not wait, where the writer can tell.
func ready(out io.Writer) bool {
	r, ok := out.(interface{ Ready() bool })
	return !ok || r.Ready()
}
