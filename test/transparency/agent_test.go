//go:build linux

package transparency

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"cbc-otel/internal/process/inherit"
)

// Descriptors every command of a scene has besides the standard three.
const (
	reportFD = 3 // what it says to the test
	cueFD    = 4 // where it waits for the test, a byte a time
)

// The death signal is the first thread's.
func init() { runtime.LockOSThread() }

// agentMain does what its arguments say, one after the other, and never
// returns. Most are NAME:VALUE.
func agentMain() {
	for _, verb := range os.Args[1:] {
		name, value, _ := strings.Cut(verb, ":")
		act, ok := agentVerbs[name]
		if !ok {
			continue // arguments that only have to arrive
		}
		act(value)
	}
	os.Exit(0)
}

var agentVerbs = map[string]func(string){
	"out":    func(v string) { mustWrite(1, unquote(v)) },
	"err":    func(v string) { mustWrite(2, unquote(v)) },
	"say":    func(v string) { report("%s", v) },
	"exit":   func(v string) { os.Exit(number(v)) },
	"blob":   func(v string) { mustWrite(1, string(blob(number(v)))) },
	"cue":    func(string) { awaitCue() },
	"argv":   func(string) { report("argv %q", os.Args) },
	"env":    func(string) { report("env %q", rawEnv()) },
	"cwd":    func(string) { dir, err := os.Getwd(); report("cwd %s %v", dir, err) },
	"tty":    func(string) { report("tty %v %v %v", isTerminal(0), isTerminal(1), isTerminal(2)) },
	"pid":    func(string) { report("pid %d", os.Getpid()) },
	"size":   func(string) { report("size %s", windowSize(0)) },
	"fds":    func(string) { report("fds %s", strings.Join(openFiles(), " ")) },
	"flags":  func(string) { report("nonblock %v %v %v", nonblocking(0), nonblocking(1), nonblocking(2)) },
	"catch":  func(string) { caught = catchAll() },
	"await":  func(v string) { awaitSignal(syscall.Signal(number(v))) },
	"ignore": func(v string) { signal.Ignore(unix.SignalNum(v)) },
	"close":  func(v string) { unix.Close(number(v)) },
	"lines":  func(string) { interrupted, inputEnded = reportLines() },
	"eof":    func(string) { <-inputEnded },
	"wind":   func(string) { <-interrupted },
	"cat":    func(string) { agentCat() },
	"hup":    func(string) { awaitHangup() },
	"raw":    func(string) { rawMode() },
	"ties":   func(string) { ties() },
	"flood":  func(string) { flood() },
}

func report(format string, args ...any) {
	mustWrite(reportFD, fmt.Sprintf(format, args...)+"\n")
}

// mustWrite writes with the plain system call, so that what happens is what
// the kernel does and not the os package.
func mustWrite(fd int, s string) {
	for b := []byte(s); len(b) > 0; {
		n, err := unix.Write(fd, b)
		switch {
		case n > 0:
			b = b[n:]
		case err == unix.EAGAIN:
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
			_, _ = unix.Poll(fds, -1)
		case err == unix.EINTR:
		default:
			failedWrite(fd, err)
		}
	}
}

// failedWrite ends the agent as a program that looks at its errors ends: by
// SIGPIPE if that has its default action, else with exit code 3.
func failedWrite(fd int, err error) {
	if fd == 1 {
		report("stdout: %v", err)
		if err == unix.EPIPE && !inherit.Ignored(syscall.SIGPIPE) {
			_, _ = os.Stdout.Write([]byte("x")) // package os raises SIGPIPE
		}
	}
	os.Exit(3)
}

func unquote(v string) string {
	s, err := strconv.Unquote(`"` + v + `"`)
	if err != nil {
		panic(v)
	}
	return s
}

func number(v string) int {
	n, err := strconv.Atoi(v)
	if err != nil {
		panic(err)
	}
	return n
}

// blob is n bytes of everything, NUL and invalid UTF-8 included.
func blob(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return b
}

func awaitCue() {
	b := make([]byte, 1)
	for {
		if _, err := unix.Read(cueFD, b); err != unix.EINTR {
			return
		}
	}
}

func rawEnv() []string {
	b, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		panic(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
}

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}

func nonblocking(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_NONBLOCK != 0
}

func windowSize(fd int) string {
	size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%dx%d", size.Col, size.Row)
}

// openFiles lists the descriptors but those of this process's own making:
// its runtime's and the listing's.
func openFiles() []string {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		panic(err)
	}
	var list []string
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
		if err != nil || strings.HasPrefix(target, "anon_inode:") {
			continue
		}
		list = append(list, e.Name())
	}
	sort.Strings(list)
	return list
}

// caught delivers the signals catchAll has reported.
var caught <-chan syscall.Signal

// catchAll reports every signal that can be caught, each time it comes.
func catchAll() <-chan syscall.Signal {
	signals, reported := make(chan os.Signal, 100), make(chan syscall.Signal, 1000)
	for sig := syscall.Signal(1); sig <= 64; sig++ {
		if catchable(sig) && !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	go func() {
		for sig := range signals {
			report("got %d", sig.(syscall.Signal))
			reported <- sig.(syscall.Signal)
		}
	}()
	report("catching")
	return reported
}

// catchable are the signals a Go program can catch and is not sent by its own
// runtime or for its own doings.
func catchable(sig syscall.Signal) bool {
	switch sig {
	case syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGCHLD, syscall.SIGPIPE, syscall.SIGURG, syscall.SIGPROF, 32, 33, 34:
		return false
	}
	return true
}

func awaitSignal(want syscall.Signal) {
	for sig := range caught {
		if sig == want {
			return
		}
	}
}

// interrupted is closed when reportLines has seen an interrupt request,
// inputEnded when it has seen the end.
var interrupted, inputEnded <-chan struct{}

// reportLines reports its input, line by line, and its end.
func reportLines() (_, _ <-chan struct{}) {
	seen, ended := make(chan struct{}), make(chan struct{})
	go func() {
		in := bufio.NewReader(os.Stdin)
		for {
			line, err := in.ReadString('\n')
			if line != "" {
				report("line %s", strings.TrimSuffix(line, "\n"))
			}
			if err != nil {
				report("input ends")
				close(ended)
				return
			}
			if strings.Contains(line, `"subtype":"interrupt"`) {
				close(seen)
			}
		}
	}()
	return seen, ended
}

// agentCat copies its input to its output and reports the end.
func agentCat() {
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(os.Stdout, h), os.Stdin)
	report("stdin %d bytes %x %v", n, h.Sum(nil)[:4], err)
}

// awaitHangup waits, without writing, for the reader of its output to go.
func awaitHangup() {
	fds := []unix.PollFd{{Fd: 1}}
	for {
		if _, err := unix.Poll(fds, -1); err == nil {
			report("hangup")
			return
		}
	}
}

// rawMode switches the terminal to raw mode and echoes one key in brackets.
func rawMode() {
	old, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil {
		report("raw %v", err)
		return
	}
	mode := *old
	mode.Lflag &^= unix.ICANON | unix.ECHO | unix.ISIG
	if err := unix.IoctlSetTermios(0, unix.TCSETS, &mode); err != nil {
		report("raw %v", err)
		return
	}
	report("raw")
	key := make([]byte, 1)
	_, _ = unix.Read(0, key)
	mustWrite(1, fmt.Sprintf("[%q]", key))
	_ = unix.IoctlSetTermios(0, unix.TCSETS, old)
}

// flood writes until it cannot.
func flood() {
	line := strings.Repeat("y\n", 4096)
	for {
		mustWrite(1, line)
	}
}

// ties reports whether the agent leads a process group and dies with the
// thread that started it.
func ties() {
	var sig int32
	err := unix.Prctl(unix.PR_GET_PDEATHSIG, uintptr(unsafe.Pointer(&sig)), 0, 0, 0)
	report("own group %v, dies with parent %v %v", unix.Getpgrp() == unix.Getpid(), sig == int32(syscall.SIGKILL), err)
}
