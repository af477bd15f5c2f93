// Package program starts the real programs that the tests need, on free ports of the loopback interface, and ends
// them with the test.
package program

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Patience bounds what should take seconds: on a loaded machine it may take long, a hang takes forever.
const Patience = 3 * time.Minute

// Server is a running program.
type Server struct {
	Name string
	cmd  *exec.Cmd
	log  string
	done chan struct{}
	once sync.Once
}

// Start runs a server and waits until ready returns nil. Its output is shown when the test failed.
func Start(t *testing.T, name string, ready func() error, bin string, args ...string) *Server {
	t.Helper()
	s := &Server{Name: name, log: filepath.Join(t.TempDir(), name+".log"), done: make(chan struct{})}
	out, err := os.Create(s.log)
	if err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(bin, args...)
	s.cmd.Stdout, s.cmd.Stderr = out, out
	s.cmd.SysProcAttr = endWithUs()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = out.Close() // the child has its own
	go func() { _ = s.cmd.Wait(); close(s.done) }()
	t.Cleanup(func() {
		s.end(syscall.SIGTERM)
		if t.Failed() {
			t.Logf("output of %s:\n%s", name, s.Output())
		}
	})
	deadline := time.Now().Add(Patience)
	for {
		err := ready()
		if err == nil {
			return s
		}
		select {
		case <-s.done:
			t.Fatalf("%s ended: %v\n%s", name, s.cmd.ProcessState, s.Output())
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not ready: %v\n%s", name, err, s.Output())
		}
	}
}

// Output is what the server printed, at most the last 3 kB.
func (s *Server) Output() string {
	b, _ := os.ReadFile(s.log)
	return string(b[max(0, len(b)-3_000):])
}

// Kill ends the server the hard way, as a crash would.
func (s *Server) Kill() { s.end(syscall.SIGKILL) }

func (s *Server) end(sig syscall.Signal) {
	s.once.Do(func() {
		_ = s.cmd.Process.Signal(sig)
		select {
		case <-s.done:
		case <-time.After(20 * time.Second):
			_ = s.cmd.Process.Kill()
			<-s.done
		}
	})
}

// Ports returns n ports that were free a moment ago.
func Ports(t *testing.T, n int) []string {
	t.Helper()
	var addrs []string
	var open []net.Listener
	for range n {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, ln)
		addrs = append(addrs, ln.Addr().String())
	}
	for _, ln := range open {
		_ = ln.Close()
	}
	return addrs
}

// OK asks a URL and is content with 200.
func OK(url string) func() error {
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return errors.New(resp.Status)
		}
		return nil
	}
}

// Go builds a Go program of a module in dir; with a filled cache this takes moments.
func Go(dir, out, pkg string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, pkg)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, strings.TrimSpace(string(text)))
	}
	return nil
}
