package process

import (
	"strings"

	"golang.org/x/sys/unix"
)

// rawEnviron is the environment block as execve(2) passed it. It is read
// without package os, whose first file sets up the runtime's poller.
func rawEnviron() ([]string, bool) {
	fd, err := unix.Open("/proc/self/environ", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, false
	}
	defer unix.Close(fd)
	block := make([]byte, 0, 32<<10)
loop:
	for {
		if len(block) == cap(block) {
			block = append(block, 0)[:len(block)]
		}
		n, err := unix.Read(fd, block[len(block):cap(block)])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, false
		}
		if n == 0 && len(block) == 0 {
			return nil, true
		}
		if n == 0 {
			break loop
		}
		block = block[:len(block)+n]
	}
	return strings.Split(strings.TrimSuffix(string(block), "\x00"), "\x00"), true
}
