package process

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const cldStopped = 5 // CLD_STOPPED, sigaction(2)

// sysProcAttr ties the command's life to the thread that starts it.
func sysProcAttr(group bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: group, Pdeathsig: syscall.SIGKILL}
}

func cloexecPipe(p *[2]int) error { return unix.Pipe2(p[:], unix.O_CLOEXEC) }

// wait returns when the command is reaped. A stop of a command with a process
// group of its own is passed up, as the group it would have been in would
// have stopped with it.
func (c *child) wait() {
	options := unix.WEXITED | unix.WNOWAIT
	if c.group {
		options |= unix.WSTOPPED
	}
	for {
		// WNOWAIT: until it is reaped under the lock its id is nobody
		// else's.
		var info unix.Siginfo
		if err := unix.Waitid(unix.P_PID, c.pid, &info, options, nil); err != nil {
			if err == unix.EINTR {
				continue
			}
			break
		}
		if info.Code != cldStopped {
			break
		}
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(c.pid, &status, syscall.WUNTRACED|syscall.WNOHANG, nil)
		if err == nil && pid == c.pid && status.Stopped() {
			c.stopped(status.StopSignal())
			continue
		}
		if err == nil && pid == c.pid {
			// It ended in between and has been reaped by this.
			c.reap(status)
			return
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reaped, c.at = true, time.Now()
	for {
		_, err := syscall.Wait4(c.pid, &c.status, 0, nil)
		if err != syscall.EINTR {
			return
		}
	}
}

func (c *child) reap(status syscall.WaitStatus) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reaped, c.at, c.status = true, time.Now(), status
}
