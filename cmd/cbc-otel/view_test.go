//go:build unix

package main

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// view prints its address, answers there, and ends well when it is interrupted.
func TestViewUntilInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command("cbc-otel", "view", "--no-open")
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !regexp.MustCompile(`^http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{64}\n$`).MatchString(line) {
		t.Errorf("printed %q, %v", line, err)
	} else if r, err := http.Get(strings.TrimSpace(line)); err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("%v %v", r, err)
	} else {
		_ = r.Body.Close()
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil || said.String() != "cbc-otel: the address works once; Ctrl-C ends the view\n" {
		t.Errorf("%v, said %q", err, said.String())
	}
}
