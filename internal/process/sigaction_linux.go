package process

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sigaction is the kernel's struct, not libc's. os/signal cannot restore a
// default action: it keeps the runtime's handlers installed.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const (
	sigDefault = 0
	sigIgnore  = 1
)

// setDefault gives sig its default action and returns what it had.
func setDefault(sig syscall.Signal) (old sigaction, err error) {
	return rtSigaction(sig, &sigaction{handler: sigDefault})
}

func setAction(sig syscall.Signal, action sigaction) { _, _ = rtSigaction(sig, &action) }

func rtSigaction(sig syscall.Signal, action *sigaction) (old sigaction, err error) {
	_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig),
		uintptr(unsafe.Pointer(action)), uintptr(unsafe.Pointer(&old)), unsafe.Sizeof(action.mask), 0, 0)
	if errno != 0 {
		return old, errno
	}
	return old, nil
}

// unblock takes sig out of the calling thread's signal mask.
func unblock(sig syscall.Signal) {
	var set unix.Sigset_t
	set.Val[0] = 1 << (sig - 1)
	_ = unix.PthreadSigmask(unix.SIG_UNBLOCK, &set, nil)
}

// setMask sets the calling thread's signal mask and returns what it was; bit
// n-1 stands for signal n.
func setMask(mask uint64) (old uint64) {
	var set, oldSet unix.Sigset_t
	set.Val[0] = mask
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &set, &oldSet)
	return oldSet.Val[0]
}
