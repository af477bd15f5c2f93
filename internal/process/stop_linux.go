package process

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// stopSelf stops the process by sig, as the default action would, and returns
// when it goes on.
func stopSelf(sig syscall.Signal) {
	if sig == syscall.SIGSTOP {
		_ = syscall.Kill(syscall.Getpid(), sig)
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	caught, err := setDefault(sig)
	if err != nil {
		return
	}
	unblock(sig)
	// To this thread, where it is not blocked: it takes effect before the
	// call returns.
	_ = unix.Tgkill(syscall.Getpid(), syscall.Gettid(), sig)
	setAction(sig, caught)
}

// parentOf returns a process's parent, 0 if unknown.
func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// pid (comm) state ppid; comm may hold anything (proc_pid_stat(5)).
	var state string
	var parent int
	_, err = fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent)
	if err != nil {
		return 0
	}
	return parent
}
