//go:build unix

package shim

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// Identity is the file's device and inode, behind links.
func Identity(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", fmt.Errorf("%s: no inode", file)
	}
	return fmt.Sprintf("%d:%d", stat.Dev, stat.Ino), nil
}

// Self is our own executable's identity, empty if it cannot be known.
func Self() string {
	file := "/proc/self/exe" // still right when the file was replaced since
	if runtime.GOOS != "linux" {
		var err error
		if file, err = os.Executable(); err != nil {
			return ""
		}
	}
	id, err := Identity(file)
	if err != nil {
		return ""
	}
	return id
}
