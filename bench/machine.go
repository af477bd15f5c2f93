//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// machine describes what was measured on what.
func (b *bench) machine() []string {
	list := []string{fmt.Sprintf("%s, %d CPUs", cpuModel(), runtime.NumCPU())}
	var u unix.Utsname
	if err := unix.Uname(&u); err == nil {
		list = append(list, unix.ByteSliceToString(u.Sysname[:])+" "+unix.ByteSliceToString(u.Release[:])+" "+unix.ByteSliceToString(u.Machine[:]))
	}
	list = append(list, runtime.Version())
	if b.node != nil {
		if out, err := exec.Command(b.node[0], "--version").Output(); err == nil {
			list = append(list, "node "+strings.TrimSpace(string(out)))
		}
	}
	return list
}

func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return runtime.GOARCH
}
