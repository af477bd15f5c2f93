//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"cbc-otel/internal/testdata"
)

// On a terminal a picture is shown while the command runs and gone in the end; what the command says there itself is
// all there, and its output is untouched.
func TestProgressOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, err := testdata.Find("01-success")
	if err != nil {
		t.Fatal(err)
	}
	stream, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	in, out, painted := filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "painted")
	if err := os.WriteFile(in, stream, 0o600); err != nil {
		t.Fatal(err)
	}
	child := `head -n 8 "$1"; echo said before >&2; while ! test -e "$2"; do sleep 0.05; done; echo said after >&2; tail -n +9 "$1"`
	cmd := exec.Command("sh", "-c", `exec cbc-otel --exporter none --progress auto -- sh -c "$0" sh "$1" "$2" >"$3"`, child, in, painted, out)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "TERM=xterm")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	var seen bytes.Buffer
	buf := make([]byte, 4096)
	for {
		n, err := terminal.Read(buf)
		seen.Write(buf[:n])
		if bytes.Contains(seen.Bytes(), []byte("\x1b7")) {
			if err := os.WriteFile(painted, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil {
			break // EIO on Linux, EOF elsewhere
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	text := seen.String()
	for _, want := range []string{"said before\r\n", "said after\r\n", "workflow repo-audit · ", "cbc-otel: workflow repo-audit: completed in 2.3s"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if strings.LastIndex(text, "\x1b7") > strings.LastIndex(text, "\x1b[J") || strings.Contains(text, "\x1b[?") {
		t.Errorf("the picture is left, or a mode was changed: %q", text)
	}
	if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, stream) {
		t.Errorf("the output differs: %v, %d of %d bytes", err, len(got), len(stream))
	}
}
