package process

import (
	"os"
	"strings"
)

// rawEnviron is the environment block as execve(2) passed it.
func rawEnviron() ([]string, bool) {
	block, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		return nil, false
	}
	if len(block) == 0 {
		return nil, true
	}
	return strings.Split(strings.TrimSuffix(string(block), "\x00"), "\x00"), true
}
