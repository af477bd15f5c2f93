package main

import (
	"errors"

	"cbc-otel/config"
	"cbc-otel/internal/process"
	"cbc-otel/internal/progress"
)

// command is what we stand in front of.
type command struct {
	path string // the file
	args []string
	env  []string
	shim bool
}

// run is the form with flags: cbc-otel [flags] -- COMMAND.
func (h *host) run(given map[string]string, args []string) int {
	s, ok := h.load(given, args)
	if !ok {
		return exitUsage
	}
	path, err := process.Look(args[0], process.SearchPath(h.environ))
	if err != nil {
		return h.notStarted(err)
	}
	child := command{path: path, args: args, env: h.environ}
	if !h.tapped(child, s.Tap) {
		return h.replace(child)
	}
	return h.wrap(s, child)
}

// replace makes this process the command, or runs it without a look at its output where a process cannot be
// replaced.
func (h *host) replace(c command) int {
	if process.CanReplace {
		return h.notStarted(process.Replace(c.path, c.args, c.env))
	}
	exit, err := process.Run(process.Options{Path: c.path, Args: c.args, Env: c.env, PassThrough: true})
	if err != nil {
		return h.notStarted(err)
	}
	exit.Die()
	return exit.Code
}

// notStarted tells why the command did not start and returns the exit code a shell would give.
func (h *host) notStarted(err error) int {
	h.log.Errorf("%v", err)
	if start := (*process.StartError)(nil); errors.As(err, &start) {
		return start.Code
	}
	return exitFailure
}

// wrap runs the command, looks at its output and ends as it ended.
func (h *host) wrap(s *config.Settings, c command) int {
	if c.shim {
		s.Progress = progress.None // it stands in for the command, which shows what it wants to
	}
	if idle(s) {
		return h.replace(c)
	}
	w, err := h.newWrapped(s, c.path)
	if err != nil {
		h.log.Errorf("%v", err)
		if !c.shim || s.Strict {
			return exitUsage
		}
		return h.replace(c)
	}
	exit, err := w.run(c, nil)
	if err != nil {
		return h.notStarted(err)
	}
	if s.RequireTelemetry && exit.Code == 0 && exit.Signal == 0 && w.lost > 0 {
		h.log.Errorf("%d spans were lost and telemetry is required: exit code %d", w.lost, exitLost)
		return exitLost
	}
	exit.Die()
	return exit.Code
}

// idle reports whether there is nothing to do but to run the command.
func idle(s *config.Settings) bool {
	nothing := len(s.Exporters) == 0 || s.SDKDisabled || s.WorkflowsDisabled
	return nothing && s.Receipt == "" && s.Summary == "" && s.Progress == progress.None && s.OnSignal != "interrupt"
}
