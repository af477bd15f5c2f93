//go:build !unix

package say

import (
	"io"
	"os"
)

// Stderr returns the writer on descriptor 2.
func Stderr() io.Writer { return os.Stderr }
