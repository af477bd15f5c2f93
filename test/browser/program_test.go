package browser

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// view is a running cbc-otel view.
type view struct {
	address string // with the token
	cmd     *exec.Cmd
	stderr  bytes.Buffer
}

// environment has nothing of the user's and a state folder of its own.
func environment(state string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + state, "XDG_STATE_HOME=" + state}
}

// startView runs cbc-otel view until the test ends.
func startView(t *testing.T, state string, args ...string) *view {
	t.Helper()
	v := &view{cmd: exec.Command(program, append([]string{"view", "--no-open"}, args...)...)}
	v.cmd.Env = environment(state)
	v.cmd.Stderr = &v.stderr
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.end(t) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("view printed no address: %v\n%s", err, v.stderr.String())
	}
	v.address = strings.TrimSpace(line)
	return v
}

// end is Ctrl-C.
func (v *view) end(t *testing.T) {
	t.Helper()
	if v.cmd == nil {
		return
	}
	if err := v.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	if err := v.cmd.Wait(); err != nil {
		t.Errorf("view: %v\n%s", err, v.stderr.String())
	}
	v.cmd = nil
}

// report runs cbc-otel report and returns the address of the file.
func report(t *testing.T, what string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	cmd := exec.Command(program, "report", "-o", path, what)
	cmd.Env = environment(t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("report: %v\n%s", err, out)
	}
	return "file://" + path
}
