package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"cbc-otel/config"
	"cbc-otel/internal/doctor"
	"cbc-otel/internal/tracectx"
)

func (h *host) doctorCommand(code *int) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Find out whether a trace would arrive, and if not, why",
		Long: `doctor shows the configuration in effect and where each value comes from, looks at
the way to each exporter's place, and sends one test span labelled as such. It
succeeds only if a trace would arrive.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Its mistakes and notes are findings: they are not printed twice.
			s, errs := config.Load(config.Options{Flags: flags(cmd), Getenv: h.getenv})
			o := doctor.Options{Settings: s, Errors: errs, Exporter: h.exporterOptions(s), Metrics: h.metricOptions(s), Out: cmd.OutOrStdout()}
			_, o.Parent = h.parent(s)
			run, onGitHub := tracectx.GitHubRun(h.getenv)
			o.GitHubRun = onGitHub && s.Parent == "github" && o.Parent == run
			if info, err := os.Stderr.Stat(); err == nil {
				o.Stderr = info
			}
			if !doctor.Run(context.Background(), o) {
				*code = exitFailure
			}
			return nil
		},
	}
}
