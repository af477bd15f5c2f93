//go:build unix

package process

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// stopped stops us too when a command with a process group of its own has
// stopped, so that whoever waits for us sees it. It returns when we go on.
func (c *child) stopped(sig syscall.Signal) {
	if sig != syscall.SIGSTOP && orphaned() {
		// The kernel lets none but SIGSTOP stop an orphaned process group:
		// nobody would be there to make it go on (POSIX, General Concepts).
		// The command's own group has us for a parent and is not orphaned,
		// but the group it would have been in is.
		c.signal(syscall.SIGCONT)
		return
	}
	stopSelf(sig)
}

// orphaned reports whether our process group is: no member has a parent
// outside it in the same session. Of the members it looks at us and our
// ancestors.
func orphaned() bool {
	group, session := unix.Getpgrp(), sessionOf(0)
	for parent := unix.Getppid(); parent > 0; parent = parentOf(parent) {
		parentGroup, err := unix.Getpgid(parent)
		if err != nil || sessionOf(parent) != session {
			return true
		}
		if parentGroup != group {
			return false
		}
	}
	return true
}

func sessionOf(pid int) int {
	session, err := unix.Getsid(pid)
	if err != nil {
		return -1
	}
	return session
}
