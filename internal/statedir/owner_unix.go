//go:build unix

package statedir

import (
	"io/fs"
	"os"
	"syscall"
)

const narrow = true

func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
