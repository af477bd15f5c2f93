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
	// What was ignored when the tests were started, by nohup for one, is so in all cases.
	for _, c := range []struct {
		script  string
		ignored uint64
		closed  string
	}{
		{`exec "$0"`, 0x0, "false false false"},
		{`trap '' HUP INT PIPE; exec "$0"`, 0x1003, "false false false"},
		{`trap '' QUIT TERM USR1; exec "$0"`, 0x4204, "false false false"},
		{`exec "$0" <&-`, 0x0, "true false false"},
		{`exec "$0" 2>&-`, 0x0, "false false true"},
	} {
		cmd := exec.Command("/bin/sh", "-c", c.script, exe)
		cmd.Env = []string{"INHERIT_SHOW=1", "GORACE=atexit_sleep_ms=0"}
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v", c.script, err)
		}
		want := fmt.Sprintf("known true ignored %#x blocked 0x0 closed %s", c.ignored|uint64(state.ignored), c.closed)
		if got := strings.TrimSpace(string(out)); got != want {
			t.Errorf("%s: %s, want %s", c.script, got, want)
		}
	}
}
