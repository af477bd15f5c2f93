//go:build linux

package transparency

import (
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// givenMain becomes a command, with the signals its first argument names
// ignored (-NAME) or blocked (+NAME), comma-separated, descriptors closed (xN),
// and to be killed when its parent dies (d).
func givenMain() {
	runtime.LockOSThread()
	var mask unix.Sigset_t
	for _, word := range strings.Split(os.Args[1], ",") {
		if word == "" {
			continue
		}
		name := word[1:]
		switch word[0] {
		case '-':
			signal.Ignore(unix.SignalNum("SIG" + name))
		case '+':
			mask.Val[0] |= 1 << (unix.SignalNum("SIG"+name) - 1)
		case 'd':
			if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0, 0, 0); err != nil {
				panic(err)
			}
		case 'x':
			unix.Close(number(name))
		}
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &mask, nil); err != nil {
		panic(err)
	}
	panic(syscall.Exec(os.Args[2], os.Args[2:], os.Environ()))
}
