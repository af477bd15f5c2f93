//go:build linux

package inherit

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain also is the program whose start is looked at.
func TestMain(m *testing.M) {
	if os.Getenv("INHERIT_SHOW") != "" {
		fmt.Printf("known %v ignored %#x blocked %#x closed %v %v %v\n",
			Known(), state.ignored, Blocked(), Closed(0), Closed(1), Closed(2))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestState(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ script, want string }{
		{`exec "$0"`, "known true ignored 0x0 blocked 0x0 closed false false false"},
		{`trap '' HUP INT PIPE; exec "$0"`, "known true ignored 0x1003 blocked 0x0 closed false false false"},
		{`trap '' QUIT TERM USR1; exec "$0"`, "known true ignored 0x4204 blocked 0x0 closed false false false"},
		{`exec "$0" <&-`, "known true ignored 0x0 blocked 0x0 closed true false false"},
		{`exec "$0" 2>&-`, "known true ignored 0x0 blocked 0x0 closed false false true"},
	} {
		cmd := exec.Command("/bin/sh", "-c", c.script, exe)
		cmd.Env = []string{"INHERIT_SHOW=1", "GORACE=atexit_sleep_ms=0"}
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v", c.script, err)
		}
		if got := strings.TrimSpace(string(out)); got != c.want {
			t.Errorf("%s: %s, want %s", c.script, got, c.want)
		}
	}
}
