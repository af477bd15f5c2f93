//go:build linux

package transparency

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// jobShellMain is a shell with job control in small: the leader of a terminal's
// session. It runs one command as a job, in the foreground (jobshell fg
// COMMAND...) or not (bg), and reports when it stops and ends. On a cue a
// stopped job is made to go on in the foreground.
func jobShellMain() {
	runtime.LockOSThread()
	attr := &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{0, 1, 2, reportFD, cueFD},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Foreground: os.Args[1] == "fg", Ctty: 0},
	}
	pid, err := syscall.ForkExec(os.Args[2], os.Args[2:], attr)
	if err != nil {
		panic(err)
	}
	report("job %d", pid)
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			panic(err)
		case status.Stopped():
			setForeground(unix.Getpgrp())
			report("stopped %s", unix.SignalName(status.StopSignal()))
			awaitCue()
			setForeground(pid)
			_ = syscall.Kill(-pid, syscall.SIGCONT)
		default:
			setForeground(unix.Getpgrp())
			report("ended %s", describe(status))
			os.Exit(0)
		}
	}
}

// setForeground makes group the terminal's foreground group. Done from the
// background it would stop us if TTOU were not blocked.
func setForeground(group int) {
	var set unix.Sigset_t
	set.Val[0] = 1 << (syscall.SIGTTOU - 1)
	_ = unix.PthreadSigmask(unix.SIG_BLOCK, &set, nil)
	_ = unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, group)
	_ = unix.PthreadSigmask(unix.SIG_UNBLOCK, &set, nil)
}
