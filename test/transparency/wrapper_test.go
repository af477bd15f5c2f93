//go:build linux

package transparency

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"cbc-otel/internal/process"
	"cbc-otel/internal/process/shim"
)

// wrapperMain is the program in small: its command line, its shim form and its
// way of starting and ending, without anything that looks at the output.
func wrapperMain() {
	env := process.Environ()
	if name := shim.Name(os.Args[0]); name != "cbc-otel" {
		found, err := shim.Next(name, process.SearchPath(env), shim.Self(), os.Getenv(shim.ChainVar))
		var missing *shim.NotFoundError
		if errors.As(err, &missing) {
			complain(err, missing.Code())
		}
		wrap(process.Options{Path: found.File, Args: os.Args, Env: shim.Environ(env, found.Chain)},
			process.Invocation{Shim: true, StdoutTerminal: isTerminal(1), Args: os.Args})
	}
	var o process.Options
	i := process.Invocation{StdoutTerminal: isTerminal(1)}
	grace := 5 * time.Second
	interrupt := false
	args := os.Args[1:]
	for len(args) > 0 && args[0] != "--" {
		name, value, _ := strings.Cut(args[0], "=")
		args = args[1:]
		switch name {
		case "--drain":
			o.DrainWait = value == "wait"
		case "--tap":
			i.Tap = value
		case "--on-signal":
			interrupt = value == "interrupt"
		case "--grace":
			grace, _ = time.ParseDuration(value)
		}
	}
	if len(args) < 2 {
		complain(errors.New("no command"), 2)
	}
	i.Args = args[1:]
	path, err := process.Look(i.Args[0], process.SearchPath(env))
	if err != nil {
		fail(err)
	}
	o.Path, o.Args, o.Env = path, i.Args, env
	if interrupt {
		o.Interrupt = &process.Interrupt{Session: func() string { return "session-1" }, Grace: grace}
	}
	wrap(o, i)
}

func wrap(o process.Options, i process.Invocation) {
	if !i.Tapped() {
		fail(process.Replace(o.Path, o.Args, o.Env))
	}
	o.OnBytes = endThreads
	exit, err := process.Run(o)
	if err != nil {
		fail(err)
	}
	if exit.WriteErr != nil {
		fmt.Fprintf(os.Stderr, "cbc-otel: standard output: %v\n", exit.WriteErr)
	}
	exit.Die()
}

// endThreads ends threads, as the runtime ends idle ones: the command must not
// be tied to any that does not stay.
func endThreads([]byte, time.Time) {
	var done sync.WaitGroup
	for range 3 {
		done.Go(func() { runtime.LockOSThread() }) // a locked goroutine's end is its thread's
	}
	done.Wait()
}

func fail(err error) {
	var start *process.StartError
	if errors.As(err, &start) {
		complain(err, start.Code)
	}
	complain(err, 1)
}

func complain(err error, code int) {
	fmt.Fprintln(os.Stderr, "cbc-otel:", err)
	os.Exit(code)
}
