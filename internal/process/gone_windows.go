package process

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isGone sorts an error of writing to our standard output: its reader is gone,
// or something else.
func isGone(err error) (gone bool, other error) {
	if errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) {
		return true, nil
	}
	return false, err
}
