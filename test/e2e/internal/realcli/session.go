package realcli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"cbc-otel/test/e2e/internal/stream"
)

// Session is a running CLI (or a wrapper around one) that speaks stream-json.
type Session struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser

	mu     sync.Mutex
	stdout bytes.Buffer
	lines  []stream.Line
	more   chan struct{} // closed and replaced with each line
	eof    chan struct{}
}

// Start starts the command; its output goes to the session, its standard error to the file.
func Start(cmd *exec.Cmd, stderr *os.File) (*Session, error) {
	s := &Session{cmd: cmd, more: make(chan struct{}), eof: make(chan struct{})}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.stdin, cmd.Stderr = in, stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go s.read(out)
	return s, nil
}

func (s *Session) read(out io.Reader) {
	defer close(s.eof)
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadBytes('\n')
		s.mu.Lock()
		s.stdout.Write(line)
		s.lines = append(s.lines, stream.Read(line)...)
		close(s.more)
		s.more = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// User sends what a user says.
func (s *Session) User(text string) {
	s.send(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": text}, "parent_tool_use_id": nil, "session_id": s.sessionID()})
}

// Control sends a control request.
func (s *Session) Control(id string, request map[string]any) {
	if request["subtype"] == "interrupt" {
		request["session_id"] = s.sessionID()
	}
	s.send(map[string]any{"type": "control_request", "request_id": id, "request": request})
}

// send ignores errors: a CLI that is gone shows in what it wrote.
func (s *Session) send(v any) {
	b, _ := json.Marshal(v) //nolint:errchkjson // plain values
	_, _ = s.stdin.Write(append(b, '\n'))
}

func (s *Session) sessionID() (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lines {
		if l.Subtype == "init" {
			id = l.SessionID
		}
	}
	return id
}

// Wait waits until the stream so far is as wanted, until it ends, or for at most so long.
func (s *Session) Wait(limit time.Duration, wanted func([]stream.Line) bool) bool {
	timeout := time.After(limit)
	for {
		s.mu.Lock()
		ok, more := wanted(s.lines), s.more
		s.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-more:
		case <-s.eof:
			s.mu.Lock()
			defer s.mu.Unlock()
			return wanted(s.lines)
		case <-timeout:
			return false
		}
	}
}

// Signal sends a signal to the process that was started.
func (s *Session) Signal(sig os.Signal) { _ = s.cmd.Process.Signal(sig) }

// CloseStdin tells the CLI that nothing more comes.
func (s *Session) CloseStdin() { _ = s.stdin.Close() }

// End closes standard input and waits for the process. One that does not end in time is killed, which is an error.
func (s *Session) End(limit time.Duration) (stdout []byte, state *os.ProcessState, err error) {
	s.CloseStdin()
	kill := time.AfterFunc(limit, func() { _ = s.cmd.Process.Kill() })
	<-s.eof // all output is read before Wait closes the pipe
	_ = s.cmd.Wait()
	if !kill.Stop() {
		err = errors.New("it did not end and was killed")
	}
	return s.stdout.Bytes(), s.cmd.ProcessState, err
}
