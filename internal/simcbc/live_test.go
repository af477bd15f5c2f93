package simcbc

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// live is a simulated CLI that runs on the clock of a synctest bubble, driven through pipes.
type live struct {
	t     *testing.T
	stdin *io.PipeWriter
	lines chan line
	began time.Time
	seen  []line
	exit  chan int
}

func launch(t *testing.T, args ...string) *live {
	t.Helper()
	stdinR, stdinW := io.Pipe()
	stdoutR, stdoutW := io.Pipe()
	p := &live{t: t, stdin: stdinW, lines: make(chan line, 1<<14), began: time.Now(), exit: make(chan int, 1)}
	go func() {
		defer close(p.lines)
		in := bufio.NewScanner(stdoutR)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			var l line
			if err := json.Unmarshal(in.Bytes(), &l); err != nil {
				t.Errorf("not JSON: %v", err)
			}
			p.lines <- l
		}
	}()
	go func() {
		args := append([]string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--sim-seed", "3"}, args...)
		p.exit <- Main(args, stdinR, stdoutW, io.Discard, noenv)
		stdoutW.Close()
		stdinR.Close()
	}()
	return p
}

func (p *live) send(format string, args ...any) {
	fmt.Fprintf(p.stdin, format+"\n", args...)
}

// until reads lines until match.
func (p *live) until(match func(line) bool) line {
	p.t.Helper()
	for l := range p.lines {
		p.seen = append(p.seen, l)
		if match(l) {
			return l
		}
	}
	p.t.Fatalf("the stream ended before the line came")
	return nil
}

// rest reads to the end of the stream and returns what came, each line as a word.
func (p *live) rest() (words []string, lines []line) {
	p.t.Helper()
	for l := range p.lines {
		lines = append(lines, l)
		words = append(words, word(l))
	}
	if code := <-p.exit; code != 0 {
		p.t.Errorf("exit code %d", code)
	}
	return words, lines
}

func word(l line) string {
	switch {
	case l.is("control_response", ""):
		return "control_response " + l.at("response", "subtype").(string)
	case l.is("system", "task_updated"):
		return "updated " + l.at("patch", "status").(string)
	case l.is("system", "task_notification"):
		return "notified " + l["status"].(string)
	case l.is("system", ""):
		return l["subtype"].(string)
	default:
		return l["type"].(string)
	}
}

func isProgress(l line) bool { return l.is("system", "task_progress") }

const (
	userLine      = `{"type":"user","message":{"role":"user","content":[{"type":"text","text":"run /quick now"}]}}`
	interruptLine = `{"type":"control_request","request_id":"stop-1","request":{"subtype":"interrupt","session_id":"x","reason":"had enough"}}`
)

// Protocol section 4.1: acknowledged, killed, stopped, and only then the agents' errors, over Late.
func TestInterruptCBC(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := launch(t, "--sim-scenario", "fan-out", "--sim-concurrency", "3", "--sim-late", "4s")
		p.send(`{"type":"user","message":{"role":"user","content":"go"}}`)
		p.until(isProgress)
		time.Sleep(time.Second - time.Since(p.began))
		p.send("%s", interruptLine)
		p.until(func(l line) bool { return l.is("control_response", "") })
		at := time.Now()
		p.send("%s", interruptLine) // once more changes nothing
		p.stdin.Close()
		words, lines := p.rest()
		words = slices.DeleteFunc(words, func(w string) bool { return w == "control_response success" })
		if words[0] == "task_progress" { // what had changed before
			words, lines = words[1:], lines[1:]
		}
		want := []string{"updated killed", "notified stopped", "task_progress", "task_progress", "task_progress"}
		if !slices.Equal(words, want) {
			t.Fatalf("after the acknowledgement: %q, want %q", words, want)
		}
		if took := time.Since(at); took != 4*time.Second {
			t.Errorf("the last late snapshot came after %s, want 4s", took)
		}
		aborted := 0
		for _, a := range lines[len(lines)-1].agents() {
			if a["error"] == "subagent aborted: had enough" && a["state"] == "error" && a["endedAt"] != nil {
				aborted++
			}
		}
		if aborted != 3 {
			t.Errorf("%d agents aborted, want 3", aborted)
		}
	})
}

// Claude: killed, stopped, the answer last; agents stay as they were.
func TestStopClaude(t *testing.T) {
	for _, request := range []string{"interrupt", "stop_task"} {
		synctest.Test(t, func(t *testing.T) {
			p := launch(t, "--sim-flavour", "claude", "--sim-scenario", "fan-out")
			p.send(`{"type":"user","message":{"role":"user","content":"go"}}`)
			id := p.until(isProgress)["task_id"]
			p.until(func(l line) bool { return l.is("result", "") })
			p.send(`{"type":"control_request","request_id":"stop-1","request":{"subtype":%q,"task_id":%q}}`, request, id)
			p.until(func(l line) bool { return l.is("system", "task_updated") })
			p.send(`{"type":"control_request","request_id":"stop-2","request":{"subtype":"stop_task","task_id":"unknown"}}`)
			p.stdin.Close()
			words, _ := p.rest()
			if want := []string{"notified stopped", "control_response success", "control_response success"}; !slices.Equal(words, want) {
				t.Errorf("%s: %q, want %q", request, words, want)
			}
			snapshots, _ := final(p.seen)
			running := 0
			for _, a := range snapshots[id.(string)] {
				if a["state"] == "start" || a["state"] == "progress" {
					running++
				}
			}
			if running == 0 {
				t.Errorf("%s: no agent was left as it was", request)
			}
		})
	}
}

// An interrupt before the workflow starts ends the turn with an error and starts nothing.
func TestInterruptTurn(t *testing.T) {
	for _, f := range flavours {
		synctest.Test(t, func(t *testing.T) {
			p := launch(t, "--sim-flavour", string(f))
			p.send(userLine)
			p.send(userLine) // waits for its turn, which never comes
			p.send("%s", interruptLine)
			p.stdin.Close()
			words, lines := p.rest()
			if slices.Contains(words, "task_started") {
				t.Errorf("%s: a workflow started: %q", f, words)
			}
			if r := lines[slices.Index(words, "result")]; r["is_error"] != true {
				t.Errorf("%s: result %v, want an error", f, r)
			}
		})
	}
}

// cbc has no command that stops one workflow.
func TestStopTaskCBC(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := launch(t)
		p.send(`{"type":"control_request","request_id":"a","request":{"subtype":"stop_task","task_id":"x"}}`)
		p.stdin.Close()
		if words, _ := p.rest(); !slices.Equal(words, []string{"control_response error"}) {
			t.Errorf("got %q", words)
		}
	})
}

// The end of stdin in mid-run lets the workflow and its follow-up turn end.
func TestStdinEOF(t *testing.T) {
	for _, f := range flavours {
		synctest.Test(t, func(t *testing.T) {
			p := launch(t, "--sim-flavour", string(f))
			p.send(userLine) // names another scenario than the default
			p.until(isProgress)
			p.stdin.Close()
			words, lines := p.rest()
			if n := len(words); words[n-1] != "result" || !slices.Contains(words, "notified completed") {
				t.Errorf("%s: %q", f, words)
			}
			snapshots, _ := final(lines)
			for _, agents := range snapshots {
				if len(agents) != 3 {
					t.Errorf("%s: %d agents, want those of scenario quick", f, len(agents))
				}
			}
		})
	}
}

// The speed divides every duration, and the times in the messages are those of the clock.
func TestSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := func(args ...string) time.Duration {
			p := launch(t, args...)
			p.send(`{"type":"user","message":{"role":"user","content":"go"}}`)
			p.stdin.Close()
			_, lines := p.rest()
			for _, l := range lines {
				for _, a := range l.agents() {
					if s := time.UnixMilli(int64(a["startedAt"].(float64))); s.Before(p.began.Truncate(time.Millisecond)) || s.After(time.Now()) {
						t.Errorf("startedAt %s, run from %s to %s", s, p.began, time.Now())
					}
				}
			}
			return time.Since(p.began)
		}
		slow, quick := run(), run("--sim-speed", "100")
		if slow < 3*time.Second || slow > 6*time.Second {
			t.Errorf("the demo takes %s, want about 4s", slow)
		}
		if ratio := slow.Seconds() / quick.Seconds(); ratio < 99 || ratio > 101 {
			t.Errorf("%s and %s: %.1f times as fast, want 100", slow, quick, ratio)
		}
	})
}

func TestCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		code := Main([]string{"-p", "go", "--output-format=stream-json", "--sim-cut-after", "1s", "--sim-exit", "7"}, nil, &out, io.Discard, noenv)
		lines := decode(t, []byte(out.String()))
		_, order := final(lines)
		if code != 7 || slices.Contains(order, "task_updated") || !slices.Contains(order, "task_progress") {
			t.Errorf("exit code %d after %q", code, order)
		}
	})
}
