//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// bench holds what all measurements need.
type bench struct {
	self    string   // our own executable, for the roles of child
	wrapper []string // command line up to the wrapped command
	node    []string // command line of the baseline, nil without node
	dir     string   // scratch
	env     []string // of everything that is started
	log     io.Writer
}

// setup is one way to bring a stream to us.
type setup string

const (
	bare    setup = "bare"
	cat     setup = "cat"
	wrapped setup = "wrapper"
	node    setup = "node"
)

// command makes a command with the environment of all measurements.
func (b *bench) command(argv ...string) *exec.Cmd {
	c := exec.Command(argv[0], argv[1:]...)
	c.Env = slices.Clone(b.env)
	return c
}

// pipeline starts child with its stdout on the way to us by the set-up, stdin being that of child. What
// it returns are the reading end, the process in the middle (nil if bare), and all processes.
func (b *bench) pipeline(s setup, stdin *os.File, child []string) (out *os.File, middle *exec.Cmd, all []*exec.Cmd, err error) {
	switch s {
	case bare:
		all = []*exec.Cmd{b.command(child...)}
	case wrapped:
		middle = b.command(append(append([]string{}, b.wrapper...), child...)...)
		all = []*exec.Cmd{middle}
	case cat:
		middle = b.command("cat")
		all = []*exec.Cmd{b.command(child...), middle}
	case node:
		middle = b.command(b.node...)
		all = []*exec.Cmd{b.command(child...), middle}
	}
	next := stdin
	for i, c := range all {
		if next != nil { // a nil *os.File would not be a nil io.Reader
			c.Stdin = next
		}
		c.Stderr = &tail{}
		r, w, err := os.Pipe()
		if err != nil {
			return nil, nil, nil, err
		}
		c.Stdout = w
		err = c.Start()
		w.Close()
		if i > 0 {
			next.Close() // the pipe between; stdin belongs to the caller
		}
		if err != nil {
			r.Close()
			for _, started := range all[:i] {
				started.Process.Kill()
				started.Wait()
			}
			return nil, nil, nil, fmt.Errorf("%s: %w", s, err)
		}
		next = r
	}
	return next, middle, all, nil
}

// wait reaps all processes of a pipeline and makes an error of what went wrong in any.
func wait(s setup, all []*exec.Cmd) error {
	var first error
	for _, c := range all {
		if err := c.Wait(); err != nil && first == nil {
			first = fmt.Errorf("%s: %s: %w: %s", s, strings.Join(c.Args, " "), err, c.Stderr)
		}
	}
	return first
}

// run brings a file through a set-up and measures it.
func (b *bench) run(s setup, file string) (sample, error) {
	report := filepath.Join(b.dir, "report.json")
	os.Remove(report)
	began := time.Now()
	out, middle, all, err := b.pipeline(s, nil, []string{b.self, role, "produce", file, report})
	if err != nil {
		return sample{}, err
	}
	var n int64
	if s == node {
		err = checkBaseline(out)
	} else {
		n, err = drain(out)
	}
	out.Close()
	if werr := wait(s, all); err == nil {
		err = werr
	}
	if err != nil {
		return sample{}, err
	}
	m := sample{wall: time.Since(began), bytes: n}
	if middle == nil {
		return m, nil
	}
	usage := middle.ProcessState.SysUsage().(*syscall.Rusage)
	m.cpu, m.peak = cpuOf(usage), peakOf(usage)
	if s == wrapped {
		text, err := os.ReadFile(report)
		if err != nil {
			return sample{}, fmt.Errorf("the wrapper ended before its child: %w", err)
		}
		var child spent
		if err := json.Unmarshal(text, &child); err != nil {
			return sample{}, err
		}
		m.cpu = max(m.cpu-child.CPU, 0)
	}
	return m, nil
}

// checkBaseline reads what the baseline says at its end. One that understood nothing would be no baseline.
func checkBaseline(out io.Reader) error {
	var saw struct{ Lines, Unparsable, Workflows, Agents int }
	text, err := io.ReadAll(out)
	if err == nil {
		err = json.Unmarshal(text, &saw)
	}
	if err != nil {
		return fmt.Errorf("the Node baseline: %w: %.200q", err, text)
	}
	if saw.Unparsable > 0 || saw.Workflows == 0 || saw.Agents == 0 {
		return fmt.Errorf("the Node baseline saw %+v", saw)
	}
	return nil
}

// drain reads to the end and counts.
func drain(r io.Reader) (int64, error) {
	buf := make([]byte, 256<<10)
	var n int64
	for {
		k, err := r.Read(buf)
		n += int64(k)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// peakOf is the peak memory in bytes. Linux counts in KB, others of the BSD family in bytes.
func peakOf(r *syscall.Rusage) int64 {
	if runtime.GOOS == "linux" {
		return int64(r.Maxrss) << 10
	}
	return int64(r.Maxrss)
}

// tail keeps the end of what is written to it.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > 4096 {
		t.b = append([]byte{}, t.b[len(t.b)-2048:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return strings.TrimSpace(string(t.b)) }
