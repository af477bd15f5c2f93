package program

import "syscall"

// endWithUs makes the kernel end a server whose test was killed.
func endWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
