package main

import (
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"cbc-otel/config"
	"cbc-otel/exporter"
	"cbc-otel/internal/progress"
	"cbc-otel/internal/simcbc"
)

func (h *host) demoCommand(code *int) *cobra.Command {
	var speed float64
	var flavour string
	cmd := &cobra.Command{
		Use:   "demo [flags]",
		Short: "Run a simulated cbc under the wrapper and show its workflow",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			*code = h.demo(flags(cmd), speed, flavour)
			return nil
		},
	}
	cmd.Flags().Float64Var(&speed, "speed", 1, "play the workflow so many times faster")
	cmd.Flags().StringVar(&flavour, "flavour", string(simcbc.CBC), "stream of cbc or of claude")
	return cmd
}

// demo wraps this very program, in its part of a simulated CLI. The simulated stream itself is not shown.
func (h *host) demo(given map[string]string, speed float64, flavour string) int {
	s, ok := h.load(given, []string{simulated})
	if !ok {
		return exitUsage
	}
	self, err := os.Executable()
	if err != nil {
		h.log.Errorf("%v", err)
		return exitFailure
	}
	if !s.Uses("console") {
		s.Exporters = append(s.Exporters, "console")
	}
	if s.Origins["progress"].Source == config.FromDefault && h.stderrTerminal() {
		s.Progress = progress.TTY
	}
	discard, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		h.log.Errorf("%v", err)
		return exitFailure
	}
	defer discard.Close() //nolint:errcheck // nothing is in it
	h.log.Print("a simulated cbc plays a workflow; this takes a few seconds")
	w, err := h.newWrapped(s, program)
	if err != nil {
		h.log.Errorf("%v", err)
		return exitUsage
	}
	exit, err := w.run(command{path: self, args: []string{
		program, simulated, "--sim-flavour", flavour, "--sim-speed", strconv.FormatFloat(speed, 'g', -1, 64),
		"-p", "run /release-audit", "--output-format", "stream-json", "--verbose",
	}, env: h.environ}, discard)
	if err != nil {
		return h.notStarted(err)
	}
	h.afterDemo(s.Uses("otlp"), w.telemetry.pipeline, exit.Code)
	return exit.Code
}

func (h *host) afterDemo(sent bool, p *exporter.Pipeline, code int) {
	if code != 0 {
		return
	}
	if dir := p.StorePath(); dir != "" {
		h.log.Print("the trace is stored in " + dir)
	}
	if !sent {
		h.log.Print("to see it in Jaeger: docker compose up -d, then cbc-otel demo --endpoint http://localhost:4317, then open http://localhost:16686")
	}
}

// simulated is the hidden command that is the simulated CLI.
const simulated = "simulate"

func (h *host) simulateCommand(code *int) *cobra.Command {
	return &cobra.Command{
		Use:                simulated,
		Short:              "Be a simulated agent CLI",
		Hidden:             true,
		DisableFlagParsing: true,
		Run: func(_ *cobra.Command, args []string) {
			*code = simcbc.Main(args, os.Stdin, os.Stdout, os.Stderr, h.getenv)
		},
	}
}
