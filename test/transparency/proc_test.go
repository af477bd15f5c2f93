//go:build linux

package transparency

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// stateOf is a process's state: T is stopped; "gone" if it is no more or a
// zombie.
func stateOf(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "gone"
	}
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(fields) == 0 || fields[0] == "Z" || fields[0] == "X" {
		return "gone"
	}
	return fields[0]
}

// eventually waits until ok is true: for what nobody tells us of.
func eventually(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	for end := time.Now().Add(hang); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if ok() {
			return
		}
	}
	tb.Fatalf("never %s", what)
}
