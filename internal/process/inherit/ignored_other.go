//go:build !unix

package inherit

import "syscall"

func ignoredNow(syscall.Signal) bool { return false }
