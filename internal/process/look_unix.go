//go:build unix

package process

import (
	"bytes"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

const (
	defaultPath = "/bin:/usr/bin"
	shell       = "/bin/sh"
)

func executableNames(file string) []string { return []string{file} }

// Executable returns nil if we may execute the file.
func Executable(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fs.ErrNotExist // passed over in a search, as by every shell
	}
	return unix.Faccessat(unix.AT_FDCWD, file, unix.X_OK, unix.AT_EACCESS)
}

// isScript reports whether a file the kernel cannot execute looks like text
// to a shell: no NUL in the first line. (POSIX, Shell Command Language 2.9.1.)
func isScript(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 128)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false
	}
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	return bytes.IndexByte(line, 0) < 0
}

// shellArgs is the command line that runs a script with the shell.
func shellArgs(file string, args []string) []string {
	line := []string{shell, file}
	if len(args) > 1 {
		line = append(line, args[1:]...)
	}
	return line
}

func (c *child) startError(err error) *StartError {
	name := c.options.Path
	if len(c.options.Args) > 0 {
		name = c.options.Args[0]
	}
	return startError(name, c.options.Path, err)
}
