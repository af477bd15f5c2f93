//go:build unix

package process

import (
	"runtime"
	"syscall"

	"cbc-otel/internal/process/inherit"
)

// CanReplace reports whether a process can become another program.
const CanReplace = true

// Replace makes this process the command: same id, same descriptors, and
// signals as they were at our start. It returns only if that fails, with a
// *StartError; the process is then to end.
func Replace(file string, args, env []string) error {
	runtime.LockOSThread()
	for fd := range 3 {
		if inherit.Closed(fd) {
			_ = syscall.Close(fd)
		}
	}
	restoreSignals()
	err := syscall.Exec(file, args, env)
	if err == syscall.ENOEXEC && isScript(file) {
		err = syscall.Exec(shell, shellArgs(file, args), env)
	}
	name := file
	if len(args) > 0 {
		name = args[0]
	}
	return startError(name, file, err)
}
