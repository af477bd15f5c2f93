//go:build !linux

package program

import "syscall"

func endWithUs() *syscall.SysProcAttr { return nil }
