// Package statedir makes the folders in which the program keeps what survives a run: private ones, of the user
// who runs it, and not behind links, so that nobody else can read them or have them point elsewhere.
package statedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Program is the name of the folder under the state home.
const Program = "cbc-otel"

// ErrNoHome says that the environment names no place to keep anything in.
var ErrNoHome = errors.New("neither XDG_STATE_HOME nor HOME is an absolute path")

// Base returns the program's folder under $XDG_STATE_HOME, by default $HOME/.local/state. Relative paths are not
// used (XDG Base Directory Specification). Nothing is created.
func Base(getenv func(string) string) (string, error) {
	if home := getenv("XDG_STATE_HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, Program), nil
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", Program), nil
	}
	return "", ErrNoHome
}

// Make makes base and the folders below it that names lists, each in the one before, with mode 0700; created says
// whether the last one is new. Those that exist must be folders of this user, not links; wider modes are narrowed.
// What is above base is made if missing and otherwise not looked at.
func Make(base string, names ...string) (path string, created bool, err error) {
	if err := os.MkdirAll(filepath.Dir(base), 0o700); err != nil {
		return "", false, err
	}
	path = base
	if created, err = private(path); err != nil {
		return "", false, err
	}
	for _, name := range names {
		path = filepath.Join(path, name)
		if created, err = private(path); err != nil {
			return "", false, err
		}
	}
	return path, created, nil
}

func private(path string) (created bool, err error) {
	err = os.Mkdir(path, 0o700)
	created = err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	return created, check(path)
}

func check(path string) error {
	seen, err := os.Lstat(path)
	if err != nil {
		return err
	}
	switch {
	case seen.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a link, not a folder", path)
	case !seen.IsDir():
		return fmt.Errorf("%s is not a folder", path)
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	// The checks are made on what was opened, in case the name has been given to something else meanwhile.
	info, err := dir.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(seen, info) {
		return fmt.Errorf("%s was replaced while it was being checked", path)
	}
	if !owned(info) {
		return fmt.Errorf("%s belongs to another user", path)
	}
	if narrow && info.Mode().Perm()&0o077 != 0 {
		if err := dir.Chmod(0o700); err != nil {
			return fmt.Errorf("%s is open to others: %w", path, err)
		}
	}
	return nil
}
