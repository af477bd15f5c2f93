package process

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const defaultPath = ""

// executableNames are what a command name may stand for: as it is if it has
// an ending, and with each ending of PATHEXT.
func executableNames(file string) []string {
	var names []string
	if filepath.Ext(file) != "" {
		names = append(names, file)
	}
	endings := os.Getenv("PATHEXT")
	if endings == "" {
		endings = ".COM;.EXE;.BAT;.CMD"
	}
	for _, ending := range strings.Split(endings, ";") {
		if ending != "" {
			names = append(names, file+strings.ToLower(ending))
		}
	}
	return names
}

// Executable returns nil if the file exists and is no folder: its ending says
// the rest.
func Executable(file string) error {
	info, err := os.Stat(file)
	if err == nil && info.IsDir() {
		err = fs.ErrNotExist
	}
	return err
}
