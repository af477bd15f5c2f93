//go:build unix && !linux

package process

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func sysProcAttr(group bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: group}
}

func cloexecPipe(p *[2]int) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := unix.Pipe(p[:]); err != nil {
		return err
	}
	unix.CloseOnExec(p[0])
	unix.CloseOnExec(p[1])
	return nil
}

func fork(file string, args []string, attr *syscall.ProcAttr) (pid int, err error) {
	return syscall.ForkExec(file, args, attr)
}

// wait returns when the command is reaped.
func (c *child) wait() {
	options := 0
	if c.group {
		options = syscall.WUNTRACED
	}
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(c.pid, &status, options, nil)
		switch {
		case err == syscall.EINTR:
		case err == nil && status.Stopped():
			c.stopped(status.StopSignal())
		default:
			c.mu.Lock()
			c.reaped, c.at, c.status = true, time.Now(), status
			c.mu.Unlock()
			return
		}
	}
}
