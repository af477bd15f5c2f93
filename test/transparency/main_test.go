//go:build linux

package transparency

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// world is where the programs of the scenes are.
var world struct {
	dir     string
	wrapper string // the wrapper, called cbc-otel
	agent   string // a command that does as its arguments say (agent_test.go)
	shell   string // a shell with job control in small (jobshell_test.go)
	given   string // starts a command with a given signal state (given_test.go)
}

// TestMain is four programs in one, told apart by the name they are started
// under; under any other it runs the tests.
func TestMain(m *testing.M) {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	if filepath.Base(filepath.Dir(exe)) == "real" {
		agentMain()
	}
	switch name := filepath.Base(os.Args[0]); name {
	case "agent":
		agentMain()
	case "jobshell":
		jobShellMain()
	case "given":
		givenMain()
	default:
		testing := func(arg string) bool { return strings.HasPrefix(arg, "-test.") }
		if !strings.HasSuffix(name, ".test") && !slices.ContainsFunc(os.Args, testing) {
			wrapperMain()
		}
	}
	if err := setUp(exe); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(world.dir)
	os.Exit(code)
}

func setUp(exe string) (err error) {
	// What the tests were started with is not to reach the commands.
	for fd := range 1024 {
		if fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(sig) { // as by nohup; caught ones have their default again in a command
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
	if world.dir, err = os.MkdirTemp("", "transparency"); err != nil {
		return err
	}
	bin := filepath.Join(world.dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	wrapper := exe
	if path := os.Getenv("CBC_OTEL_BIN"); path != "" {
		if wrapper, err = filepath.Abs(path); err != nil {
			return err
		}
	}
	for _, program := range []struct {
		path *string
		name string
		file string
	}{{&world.wrapper, "cbc-otel", wrapper}, {&world.agent, "agent", exe}, {&world.shell, "jobshell", exe}, {&world.given, "given", exe}} {
		*program.path = filepath.Join(bin, program.name)
		if err := os.Symlink(program.file, *program.path); err != nil {
			return err
		}
	}
	return nil
}

// copyFile makes a program of its own, with another inode.
func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeProgram(to, b, 0o755)
}

// writeProgram writes a file that is to be executed. No command may be started
// meanwhile: it would hold the file open for writing for a moment, and an exec
// by another one would fail (ETXTBSY).
func writeProgram(path string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, content, mode)
}
