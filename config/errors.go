package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cbc-otel/internal/say"
)

// Error is one thing wrong with the configuration. It never shows a secret, nor what a variable held.
type Error struct {
	File         string // "" for flags and variables
	Line, Column int    // from 1, for a file that could be read
	Key          string // --flag, VARIABLE, or path in the file
	Problem      string
	Allowed      string
}

// Error puts place, key, problem and what is allowed into one line.
func (e Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
		}
		b.WriteString(": ")
	}
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	b.WriteString(e.Problem)
	if e.Allowed != "" {
		b.WriteString("; allowed: " + e.Allowed)
	}
	return say.Clean(b.String())
}

// Errors are all things wrong, those of flags and variables first, then those of the file in its order.
type Errors []Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Err returns nil if there are none.
func (e Errors) Err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

func (e Errors) sort() {
	slices.SortStableFunc(e, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
