package process

import (
	"os"
	"os/signal"
	"syscall"

	"cbc-otel/internal/process/inherit"
)

// fork starts the file. The calling goroutine is locked to its thread, whose
// mask the command gets: for the time being the one from our start. (The
// runtime keeps some signals unblocked.)
//
// Two signals that the command must find ignored, if
// they were at our start, cannot be ignored here for long: with CHLD ignored
// nobody learns how the command ended, and the runtime interrupts its own
// threads by URG.
func fork(file string, args []string, attr *syscall.ProcAttr) (pid int, err error) {
	if inherit.Known() {
		defer setMask(setMask(inherit.Blocked()))
	}
	if inherit.Ignored(syscall.SIGURG) {
		signal.Ignore(syscall.SIGURG)
		defer handle(syscall.SIGURG)
	}
	if !inherit.Ignored(syscall.SIGCHLD) {
		return syscall.ForkExec(file, args, attr)
	}

	// Traced, it stops before its first instruction, and cannot end before
	// CHLD is ours again.
	held := *attr.Sys
	held.Ptrace = true
	traced := *attr
	traced.Sys = &held
	signal.Ignore(syscall.SIGCHLD)
	pid, err = syscall.ForkExec(file, args, &traced)
	handle(syscall.SIGCHLD)
	switch err {
	case nil:
		var status syscall.WaitStatus
		_, _ = syscall.Wait4(pid, &status, 0, nil)
		_ = syscall.PtraceDetach(pid)
	case syscall.EPERM:
		// Tracing is not allowed here. The command finds CHLD as it is by
		// default.
		return syscall.ForkExec(file, args, attr)
	}
	return pid, err
}

// handle installs the runtime's handler for an ignored signal again.
func handle(sig os.Signal) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, sig)
	signal.Stop(c) // which leaves the handler
}
