//go:build unix

package process

import (
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// foreground reports whether we are in the foreground process group of our
// controlling terminal.
func foreground() bool {
	tty, err := openTerminal()
	if err != nil {
		return false
	}
	defer unix.Close(tty)
	group, err := unix.IoctlGetInt(tty, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

func openTerminal() (int, error) {
	return unix.Open("/dev/tty", unix.O_RDONLY|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
}

// handTerminal makes the command's process group the terminal's foreground
// group if ours is: a job that was started in the background has a group of
// its own and has now been brought to the foreground.
func (c *child) handTerminal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.group && !c.reaped && foreground() {
		c.handed = true
		setForeground(c.pid)
	}
}

// takeTerminal is the way back, when the command is gone.
func (c *child) takeTerminal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handed {
		signal.Ignore(syscall.SIGTTOU) // or it would stop us: we are in the background
		setForeground(unix.Getpgrp())
	}
}

func setForeground(group int) {
	tty, err := openTerminal()
	if err != nil {
		return
	}
	defer unix.Close(tty)
	_ = unix.IoctlSetPointerInt(tty, unix.TIOCSPGRP, group)
}
