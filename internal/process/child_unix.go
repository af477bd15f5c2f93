//go:build unix

package process

import (
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cbc-otel/internal/process/forward"
)

// child is the running command.
type child struct {
	options Options
	files   []uintptr // its descriptors 0, 1, 2; ^0 is closed
	group   bool      // it gets a process group of its own
	ours    []int     // the ends of pipes that are to be closed here once it runs

	exited   chan struct{} // closed when it is reaped
	exitPipe int           // readable then, for poll(2)

	mu     sync.Mutex
	pid    int  // of a process that is ours to signal while mu is held...
	reaped bool // ...and this is false
	handed bool // its group was made the terminal's foreground group
	status syscall.WaitStatus
	at     time.Time
}

func newChild(o Options, files []uintptr, group bool) *child {
	return &child{options: o, files: files, group: group, exited: make(chan struct{})}
}

// start returns when the command runs or could not be started.
func (c *child) start() error {
	var pipe [2]int
	if err := cloexecPipe(&pipe); err != nil {
		return c.startError(err)
	}
	c.exitPipe = pipe[0]
	started := make(chan error)
	go c.live(started, pipe[1])
	err := <-started
	for _, fd := range c.ours {
		unix.Close(fd)
	}
	if err != nil {
		unix.Close(pipe[0])
		return c.startError(err)
	}
	return nil
}

// live is the command's life. The thread that starts it stays with it: on
// Linux the command is killed when that thread ends (PR_SET_PDEATHSIG), and
// the runtime ends idle threads as it sees fit.
func (c *child) live(started chan<- error, exitPipe int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer unix.Close(exitPipe)
	pid, err := c.exec()
	c.pid = pid
	started <- err
	if err != nil {
		return
	}
	c.wait()
	c.takeTerminal()
	close(c.exited)
}

// exec starts the file, or as execvp(3) does, and with it every shell, a
// script without an interpreter line with sh.
func (c *child) exec() (pid int, err error) {
	attr := &syscall.ProcAttr{Env: c.options.Env, Files: c.files, Sys: sysProcAttr(c.group)}
	pid, err = fork(c.options.Path, c.options.Args, attr)
	if err == syscall.ENOEXEC && isScript(c.options.Path) {
		pid, err = fork(shell, shellArgs(c.options.Path, c.options.Args), attr)
	}
	return pid, err
}

// signal passes sig on, unless the command is gone and its id another's.
func (c *child) signal(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reaped {
		// It may have become another user's process, which is not ours to
		// signal; nor would it have been without us.
		_ = syscall.Kill(c.pid, sig)
		if mutantForwardTwice {
			_ = syscall.Kill(c.pid, sig)
		}
	}
}

// diedOf reports whether the command has ended by this signal, or with the exit code that stands for it.
func (c *child) diedOf(sig syscall.Signal) bool {
	return sig != 0 && (c.status.Signaled() && c.status.Signal() == sig || c.status.ExitStatus() == 128+int(sig))
}

func (c *child) exit(r forward.Result) Exit {
	e := Exit{PID: c.pid, Code: c.status.ExitStatus(), At: c.at, Bytes: r.Bytes, Gone: r.Gone, Cut: r.Cut, WriteErr: r.Err}
	if c.status.Signaled() {
		e.Signal = c.status.Signal()
		e.Code = 128 + int(e.Signal)
	} else if e.Code == 0 && e.WriteErr != nil {
		e.Code = 1
	}
	return e
}
