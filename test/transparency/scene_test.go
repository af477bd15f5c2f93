//go:build linux

package transparency

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hang bounds everything a scene waits for. It says nothing about speed.
const hang = 90 * time.Second

// scene is one play of a case: bare or wrapped.
type scene struct {
	t       *testing.T
	wrapped bool
	dir     string // the working directory, empty at first
}

// command is the command line of a case, with the wrapper and its flags before
// it if the scene is wrapped.
func (s *scene) command(flags []string, args ...string) []string {
	if !s.wrapped {
		return args
	}
	return append(append(append([]string{world.wrapper}, flags...), "--"), args...)
}

// stage is what a command is started on. Zero values: /dev/null, pipes that
// are read all the time, a session of its own without a terminal.
type stage struct {
	flags                 []string // of the wrapper
	stdin, stdout, stderr *os.File
	env                   []string // added
	attr                  *syscall.SysProcAttr
	given                 string   // signal state, see givenMain
	before                []string // a command line before it all, such as a shell
	path                  string   // the file, if not argv[0]
}

// run is a command under way.
type run struct {
	scene          *scene
	process        *os.Process
	stdout, stderr *tail // nil if the stage has its own
	report         *tail
	cue            *os.File
}

// start starts args, wrapped if the scene is.
func (s *scene) start(st stage, args ...string) *run {
	s.t.Helper()
	return s.startLine(st, s.command(st.flags, args...))
}

// startLine starts a whole command line.
func (s *scene) startLine(st stage, line []string) *run {
	s.t.Helper()
	line = append(append([]string{}, st.before...), line...)
	if st.given != "" {
		line = append([]string{world.given, st.given}, line...)
	}
	path := line[0]
	if st.path != "" {
		path = st.path
	}
	attr := &os.ProcAttr{Dir: s.dir, Sys: st.attr}
	if attr.Sys == nil {
		attr.Sys = &syscall.SysProcAttr{Setsid: true}
	}
	attr.Env = append([]string{"HOME=" + s.dir, "TMPDIR=" + s.dir, "LC_ALL=C",
		"GORACE=atexit_sleep_ms=0", // or every agent built with -race takes a second to end
		"CBC_OTEL_EXPORTER=file", "CBC_OTEL_FILE=" + filepath.Join(world.dir, "spans.jsonl")}, st.env...)
	if !slices.ContainsFunc(st.env, func(e string) bool { return strings.HasPrefix(e, "PATH=") }) {
		attr.Env = append(attr.Env, "PATH="+os.Getenv("PATH"))
	}
	r := &run{scene: s}

	var ends []*os.File // the command's, closed here once it runs
	output := func(f *os.File) (*os.File, *tail) {
		if f != nil {
			return f, nil
		}
		reader, writer := s.pipe()
		ends = append(ends, writer)
		return writer, newTail(reader)
	}
	stdin := st.stdin
	if stdin == nil {
		stdin = s.open(os.DevNull)
	}
	stdout, stdoutTail := output(st.stdout)
	stderr, stderrTail := output(st.stderr)
	report, reportTail := output(nil)
	cue, tell := s.pipe()
	ends = append(ends, cue)
	attr.Files = []*os.File{stdin, stdout, stderr, report, cue}
	r.stdout, r.stderr, r.report, r.cue = stdoutTail, stderrTail, reportTail, tell
	var err error
	// Not package exec, which tidies up the environment.
	if r.process, err = os.StartProcess(path, line, attr); err != nil {
		s.t.Fatal(err)
	}
	for _, f := range ends {
		f.Close()
	}
	s.t.Cleanup(func() { _ = r.process.Kill() })
	return r
}

// pipe returns a pipe whose ends are blocking and close with the test.
func (s *scene) pipe() (reader, writer *os.File) {
	s.t.Helper()
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		s.t.Fatal(err)
	}
	reader, writer = os.NewFile(uintptr(fds[0]), "pipe"), os.NewFile(uintptr(fds[1]), "pipe")
	s.t.Cleanup(func() { reader.Close(); writer.Close() })
	return reader, writer
}

func (s *scene) open(name string) *os.File {
	s.t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { f.Close() })
	return f
}

// file makes a file in the scene's directory.
func (s *scene) file(name, content string, mode os.FileMode) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := writeProgram(path, []byte(content), mode); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// says waits until the command has reported a line.
func (r *run) says(line string) {
	r.scene.t.Helper()
	r.report.await(r.scene.t, line+"\n")
}

// goOn gives the command, or whoever of its family waits first, a cue.
func (r *run) goOn() {
	_, _ = r.cue.Write([]byte{'\n'}) // it may be dead, and its outcome says so
}

// kill sends sig to what was started: the command, or the wrapper.
func (r *run) kill(sig syscall.Signal) {
	r.scene.t.Helper()
	if err := r.process.Signal(sig); err != nil {
		r.scene.t.Errorf("signal %v: %v", sig, err)
	}
}

// killGroup sends sig to the process group of what was started.
func (r *run) killGroup(sig syscall.Signal) {
	r.scene.t.Helper()
	if err := syscall.Kill(-r.process.Pid, sig); err != nil {
		r.scene.t.Errorf("signal %v to the group: %v", sig, err)
	}
}

// outcome is all that is compared.
type outcome struct {
	Status string // "exit 0", "signal SIGTERM"
	Stdout string
	Stderr string
	Report string   // what the command said of itself
	Facts  []string // what the case looked at
}

// end waits for the exit and for everything that was said.
func (r *run) end(facts ...string) outcome {
	r.scene.t.Helper()
	o := outcome{Status: r.status(), Facts: facts}
	// The ends of these also show that nothing of it is left running.
	if r.stdout != nil {
		o.Stdout = r.stdout.all(r.scene.t)
	}
	if r.stderr != nil {
		o.Stderr = r.stderr.all(r.scene.t)
	}
	o.Report = processIDs.ReplaceAllString(r.report.all(r.scene.t), "")
	for _, text := range []*string{&o.Stdout, &o.Stderr, &o.Report} {
		*text = strings.ReplaceAll(*text, r.scene.dir, "DIR")
	}
	return o
}

// processIDs are reported for the test to use, and differ in every run.
var processIDs = regexp.MustCompile(`(?m)^(command|holder|job) \d+\n`)

// status waits for the exit.
func (r *run) status() string {
	r.scene.t.Helper()
	done := make(chan *os.ProcessState, 1)
	go func() {
		state, _ := r.process.Wait()
		done <- state
	}()
	select {
	case state := <-done:
		return describe(state.Sys().(syscall.WaitStatus))
	case <-time.After(hang):
		r.scene.t.Fatalf("does not end; so far it reported %q and printed %q", r.report.now(), r.stderr.now())
		return ""
	}
}

// describe leaves out the core flag.
func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		if name := unix.SignalName(status.Signal()); name != "" {
			return "signal " + name
		}
		return fmt.Sprintf("signal %d", status.Signal())
	}
	return fmt.Sprintf("exit %d", status.ExitStatus())
}

// reported returns the outcome's reports that start with prefix.
func (o outcome) reported(prefix string) []string {
	var lines []string
	for line := range strings.Lines(o.Report) {
		if strings.HasPrefix(line, prefix) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
