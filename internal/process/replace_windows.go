package process

import "errors"

// CanReplace reports whether a process can become another program.
const CanReplace = false

// Replace fails: a process cannot become another program here.
func Replace(file string, _, _ []string) error {
	return &StartError{Name: file, Code: 126, Err: errors.ErrUnsupported}
}
