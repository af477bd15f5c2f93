//go:build unix

package config

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// mayTrust refuses a file that others can change: it says where traces go and what may be in them. The owner
// may be another for root alone, who runs containers on files of the host.
func mayTrust(info fs.FileInfo) error {
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("may be written by others; chmod go-w it")
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		if me := os.Geteuid(); me != 0 && stat.Uid != 0 && int(stat.Uid) != me {
			return errors.New("belongs to another user")
		}
	}
	return nil
}
