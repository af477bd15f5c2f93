package process

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Look finds the file a shell would run for name: name itself if it has a
// slash, else the first executable of that name in the folders of path, a
// PATH variable. Empty entries are the working directory. The error is a
// *StartError.
func Look(name, path string) (string, error) {
	if name == "" {
		return "", &StartError{Name: "''", Code: 127, Err: errors.New("command not found")}
	}
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		return name, nil // the kernel says what is wrong with it
	}
	var refused string
	for _, file := range Candidates(name, path) {
		switch err := Executable(file); {
		case err == nil:
			return file, nil
		case errors.Is(err, fs.ErrPermission) && refused == "":
			refused = file
		}
	}
	if refused != "" {
		return "", &StartError{Name: refused, Code: 126, Err: syscall.EACCES}
	}
	return "", &StartError{Name: name, Code: 127, Err: errors.New("command not found")}
}

// Candidates are the files called name in the folders of path, in order,
// whether they exist or not.
func Candidates(name, path string) []string {
	var files []string
	for _, dir := range filepath.SplitList(path) {
		if dir != "" && !os.IsPathSeparator(dir[len(dir)-1]) {
			dir += string(filepath.Separator)
		}
		files = append(files, executableNames(dir+name)...)
	}
	return files
}

// SearchPath is the value of PATH in env, or the system's default if it has
// none (execvp(3)). An empty one is the working directory.
func SearchPath(env []string) string {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			if value == "" {
				return "."
			}
			return value
		}
	}
	return defaultPath
}

// startError is err of starting the file as a shell would say and number it.
func startError(name, file string, err error) *StartError {
	code := 126
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		code = 127
	case errors.Is(err, fs.ErrPermission):
		if info, statErr := os.Stat(file); statErr == nil && info.IsDir() {
			err = errors.New("is a directory")
		}
	}
	return &StartError{Name: name, Code: code, Err: err}
}
