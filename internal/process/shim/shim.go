// Package shim finds the program that the name we were started under would
// have meant without us: the next of that name on PATH.
package shim

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"cbc-otel/internal/process"
)

// ChainVar names the environment variable that holds the identities
// (device:inode, comma-separated) of the shims already passed through, so that
// copies of this program, or two installs, do not call each other for ever.
const ChainVar = "CBC_OTEL_SHIM_CHAIN"

// Found is where the search ended.
type Found struct {
	File string
	// Chain is ChainVar's value for the command: every shim so far, and us.
	Chain string
}

// NotFoundError says that no other program of the name is on PATH.
type NotFoundError struct {
	Name    string
	Skipped []string // files of that name that are this program
	Refused string   // one that may not be executed; empty if there is none
}

func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: no other program of that name on PATH", e.Name)
	if len(e.Skipped) > 0 {
		fmt.Fprintf(&b, "; skipped as this program: %s", strings.Join(e.Skipped, ", "))
	}
	if e.Refused != "" {
		fmt.Fprintf(&b, "; not executable: %s", e.Refused)
	}
	return b.String()
}

// Code is the exit code a shell gives: 127, or 126 if there is one that may
// not be executed.
func (e *NotFoundError) Code() int {
	if e.Refused != "" {
		return 126
	}
	return 127
}

// Name is the name we were started under: the last part of argv[0], without
// an .exe ending.
func Name(argv0 string) string {
	name := filepath.Base(argv0)
	if ext := filepath.Ext(name); strings.EqualFold(ext, ".exe") && name != ext {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// Next finds the next program called name in the folders of path, a PATH
// variable. Passed over are self, our own executable's identity, and those in
// chain, ChainVar's value. The error is a *NotFoundError.
func Next(name, path, self, chain string) (Found, error) {
	passed := strings.FieldsFunc(chain, func(r rune) bool { return r == ',' })
	if self != "" && !slices.Contains(passed, self) {
		passed = append(passed, self)
	}
	missing := &NotFoundError{Name: name}
	for _, file := range process.Candidates(name, path) {
		if err := process.Executable(file); err != nil {
			if errors.Is(err, fs.ErrPermission) && missing.Refused == "" {
				missing.Refused = file
			}
			continue
		}
		if id, err := Identity(file); err == nil && slices.Contains(passed, id) {
			missing.Skipped = append(missing.Skipped, file)
			continue
		}
		return Found{File: file, Chain: strings.Join(passed, ",")}, nil
	}
	return Found{}, missing
}

// Environ is env with the chain for the command in it.
func Environ(env []string, chain string) []string {
	out := make([]string, 0, len(env)+1)
	for _, entry := range env {
		if !strings.HasPrefix(entry, ChainVar+"=") {
			out = append(out, entry)
		}
	}
	return append(out, ChainVar+"="+chain)
}
