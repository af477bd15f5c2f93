package main

import (
	"errors"
	"os"
	"runtime"

	"golang.org/x/term"

	"cbc-otel/config"
	"cbc-otel/internal/process"
	"cbc-otel/internal/process/shim"
)

// shim is the program under another name: it runs the next program of that name, and whatever is wrong with the
// settings is no reason not to.
func (h *host) shim(name string) int {
	found, err := shim.Next(name, process.SearchPath(h.environ), shim.Self(), h.getenv(shim.ChainVar))
	if missing := (*shim.NotFoundError)(nil); errors.As(err, &missing) {
		h.log.Errorf("%v", missing)
		return missing.Code()
	}
	child := command{
		path: found.File,
		args: h.args,
		env:  shim.Environ(h.environ, found.Chain),
		shim: true,
	}
	if !h.tapped(child, config.Peek(config.Options{Getenv: h.getenv}, "tap")) {
		return h.replace(child)
	}
	s, errs := h.settings(nil, []string{name})
	if len(errs) > 0 {
		if s.Strict {
			for _, err := range errs {
				h.log.Errorf("%v", err)
			}
			return exitUsage
		}
		h.log.Errorf("no telemetry for this run: %v%s", errs[0], andMore(len(errs)-1))
		return h.replace(child)
	}
	return h.wrap(s, child)
}

// tapped decides, from arguments and environment alone, whether the command's output is to be looked at.
func (h *host) tapped(c command, when string) bool {
	return process.Invocation{
		Tap:            when,
		Shim:           c.shim,
		StdoutTerminal: term.IsTerminal(stdout()),
		Args:           c.args,
	}.Tapped()
}

// stdout is the handle of standard output. Asking os.Stdout for it would make a descriptor that others share
// blocking.
func stdout() int {
	if runtime.GOOS == "windows" {
		return int(os.Stdout.Fd())
	}
	return 1
}
