package process

import (
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// dieBy ends the process by sig and returns only if that cannot be: the first
// process of a container survives its own signals.
func dieBy(sig syscall.Signal) {
	// The command may have left a core; ours would only hide it. A core
	// pattern that names a program is not bound by the limit, hence the
	// second call.
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)

	runtime.LockOSThread()
	if sig != syscall.SIGKILL && sig != syscall.SIGSTOP {
		if _, err := setDefault(sig); err != nil {
			return
		}
	}
	unblock(sig)
	_ = unix.Tgkill(syscall.Getpid(), syscall.Gettid(), sig)
	// Not this thread's but the process's: where the first did not do.
	_ = syscall.Kill(syscall.Getpid(), sig)
	time.Sleep(100 * time.Millisecond)
}
