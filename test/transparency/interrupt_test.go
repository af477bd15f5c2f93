//go:build linux

package transparency

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestInterrupt plays commands under --on-signal interrupt. There is no bare
// run to compare with: it is what the option adds.
func TestInterrupt(t *testing.T) {
	const (
		input   = "--input-format=stream-json"
		never   = "1000h" // no test waits for the grace to pass
		request = `line {"type":"control_request"`
	)
	// started starts an agent that reads lines from a pipe.
	started := func(t *testing.T, grace string, verbs ...string) (r *run, stdin *os.File) {
		s := &scene{t: t, dir: t.TempDir(), wrapped: true}
		reader, writer := s.pipe()
		flags := []string{"--on-signal=interrupt", "--grace=" + grace}
		r = s.start(stage{stdin: reader, flags: flags}, agent(verbs...)...)
		reader.Close()
		return r, writer
	}
	write := func(t *testing.T, f *os.File, s string) {
		t.Helper()
		if _, err := f.WriteString(s); err != nil {
			t.Error(err)
		}
	}
	ends := func(t *testing.T, r *run, status string) outcome {
		t.Helper()
		o := r.end()
		if o.Status != status {
			t.Errorf("ends with %s, want %s: %+v", o.Status, status, o)
		}
		return o
	}

	t.Run("the command winds down and gets no signal", func(t *testing.T) {
		t.Parallel()
		r, stdin := started(t, never, input, `out:{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"session-1\"}\n`, "catch", "lines", "wind", "exit:6")
		write(t, stdin, "first\n")
		r.says("line first")
		r.kill(syscall.SIGTERM)
		o := ends(t, r, "exit 6")
		if strings.Contains(o.Report, "got ") {
			t.Errorf("it got a signal: %q", o.Report)
		}
		lines := o.reported("line {")
		if len(lines) != 1 {
			t.Fatalf("requests: %q", lines)
		}
		var got struct {
			Type      string
			RequestID string `json:"request_id"`
			Request   struct {
				Subtype, Reason string
				SessionID       string `json:"session_id"`
			}
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(lines[0], "line ")), &got); err != nil {
			t.Fatal(err)
		}
		if got.Type != "control_request" || got.RequestID == "" || got.Request.Subtype != "interrupt" || got.Request.Reason != "signal SIGTERM" {
			t.Errorf("request: %+v", got)
		}
		// The program learns the session from the output, in its own time.
		if os.Getenv("CBC_OTEL_BIN") == "" && got.Request.SessionID != "session-1" {
			t.Errorf("session: %+v", got)
		}
	})
	t.Run("the request waits for the end of a line", func(t *testing.T) {
		t.Parallel()
		r, stdin := started(t, never, input, "catch", "lines", "wind")
		write(t, stdin, "one\ntwo is ")
		r.says("line one")
		r.kill(syscall.SIGINT)
		write(t, stdin, "not done\nthree\n")
		o := ends(t, r, "exit 0")
		lines := o.reported("line ")
		if len(lines) < 3 || lines[0] != "line one" || lines[1] != "line two is not done" {
			t.Errorf("lines: %q", lines)
		}
		if !strings.Contains(o.Report, request) {
			t.Errorf("no request: %q", o.Report)
		}
	})
	t.Run("the signal follows after the grace", func(t *testing.T) {
		t.Parallel()
		r, _ := started(t, "50ms", input, "catch", "lines", "await:15", "exit:7")
		r.says("catching")
		r.kill(syscall.SIGTERM)
		if o := ends(t, r, "exit 7"); !strings.Contains(o.Report, request) {
			t.Errorf("no request: %q", o.Report)
		}
	})
	t.Run("a second signal is passed on at once", func(t *testing.T) {
		t.Parallel()
		r, _ := started(t, never, input, "catch", "lines", "await:2", "exit:8")
		r.says("catching")
		r.kill(syscall.SIGTERM)
		r.report.await(t, request)
		r.kill(syscall.SIGINT)
		if o := ends(t, r, "exit 8"); strings.Contains(o.Report, "got 15") {
			t.Errorf("it got the first one too: %q", o.Report)
		}
	})
	t.Run("an ended input cannot be asked", func(t *testing.T) {
		t.Parallel()
		r, stdin := started(t, never, input, "catch", "lines", "await:15", "exit:9")
		write(t, stdin, "last\n")
		stdin.Close()
		r.says("input ends")
		r.kill(syscall.SIGTERM)
		ends(t, r, "exit 9")
	})
	t.Run("an input that ends in mid-line", func(t *testing.T) {
		t.Parallel()
		r, stdin := started(t, never, input, "catch", "lines", "await:15", "eof", "exit:9")
		write(t, stdin, "one\nhalf")
		r.says("line one")
		r.kill(syscall.SIGTERM)
		stdin.Close()
		if o := ends(t, r, "exit 9"); !strings.Contains(o.Report, "line half\n") {
			t.Errorf("report: %q", o.Report)
		}
	})
	t.Run("other signals are passed on", func(t *testing.T) {
		t.Parallel()
		r, _ := started(t, never, input, "catch", "lines", "await:10", "exit:3")
		r.says("catching")
		r.kill(syscall.SIGUSR1)
		if o := ends(t, r, "exit 3"); strings.Contains(o.Report, request) {
			t.Errorf("a request: %q", o.Report)
		}
	})
	t.Run("without stream-json input it has no effect", func(t *testing.T) {
		t.Parallel()
		r, stdin := started(t, never, "catch", "say:reads nothing", "await:15", "exit:4")
		r.says("reads nothing")
		write(t, stdin, "left alone\n")
		r.kill(syscall.SIGTERM)
		ends(t, r, "exit 4")
	})
	t.Run("input arrives byte for byte, its end at once", func(t *testing.T) {
		t.Parallel()
		r, stdin := started(t, never, input, "cat", "cue", `out:after\n`)
		data := blob(3_000_000)
		go func() {
			_, _ = stdin.Write(data)
			stdin.Close()
		}()
		r.report.await(t, "stdin 3000000 bytes")
		r.goOn()
		if o := ends(t, r, "exit 0"); o.Stdout != string(data)+"after\n" {
			t.Errorf("%d bytes arrived", len(o.Stdout))
		}
	})
	t.Run("Ctrl-C in a terminal is asked for too", func(t *testing.T) {
		t.Parallel()
		s := &scene{t: t, dir: t.TempDir(), wrapped: true}
		flags := []string{"--on-signal=interrupt", "--grace=" + never}
		r := s.startTerminal("fg", stage{flags: flags}, agent(input, asStream, "catch", "lines", "wind", "exit:6")...)
		r.says("catching")
		r.press("\x03")
		if o := r.end(); !strings.Contains(o.Report, "ended exit 6") || strings.Contains(o.Report, "got 2") {
			t.Errorf("report: %q", o.Report)
		}
	})
}
