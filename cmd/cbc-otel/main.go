// Command cbc-otel runs an agent CLI and exports its workflows as OpenTelemetry traces.
//
// This package is wiring only: which settings reach which package, and what the program says and returns.
package main

import (
	"os"
	"strings"
	"time"

	"cbc-otel/filter"
	"cbc-otel/internal/process"
	"cbc-otel/internal/process/shim"
	"cbc-otel/internal/say"
	_ "cbc-otel/internal/startup"
)

// version is set by the linker.
var version = "dev"

const program = "cbc-otel"

// Exit codes of our own. Those of the command are passed on as they are.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2  // flags, environment or configuration file
	exitLost    = 74 // --require-telemetry: the command succeeded and spans were lost (EX_IOERR of sysexits)
)

// host is what the program runs in.
type host struct {
	args    []string // argv
	environ []string
	getenv  func(string) string
	stdout  os.FileInfo // of standard output as it was at the start, or nil
	now     func() time.Time
	log     *say.Logger
}

func main() {
	h := &host{
		args:    os.Args,
		environ: process.Environ(),
		getenv:  os.Getenv,
		now:     time.Now,
		log:     say.New(say.Stderr(), say.Warn),
	}
	h.log.SetMask(filter.Redact)                   // from the first line on: arguments may hold anything
	if info, err := os.Stdout.Stat(); err == nil { // later it may be closed
		h.stdout = info
	}
	if name, ok := h.shimName(); ok {
		os.Exit(h.shim(name))
	}
	os.Exit(h.command())
}

// shimName returns the name of the program we stand in front of: we were started under it. Files named after
// us with an ending, as downloads are, are us.
func (h *host) shimName() (string, bool) {
	if len(h.args) == 0 {
		return "", false
	}
	name := shim.Name(h.args[0])
	if strings.HasPrefix(strings.ToLower(name), program) {
		return "", false
	}
	return name, true
}
