package process

import "syscall"

// SignalName is the name of a signal; here no command dies by one.
func SignalName(s syscall.Signal) string { return s.String() }
