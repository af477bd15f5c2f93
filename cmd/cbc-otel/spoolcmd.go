package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"cbc-otel/config"
	"cbc-otel/exporter"
	"cbc-otel/internal/say"
)

// patience is how long flush and recover go on when the user does not say: nobody's command waits for them.
const patience = time.Minute

func budget(s *config.Settings) time.Duration {
	if s.Origins["flush_timeout"].Source == config.FromDefault {
		return patience
	}
	return s.FlushTimeout
}

func (h *host) flushCommand(code *int) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "flush [flags]",
		Short: "Send what could not be delivered before",
		Long: `flush sends the spans that earlier runs could not deliver to the place they were to
go, if that is the one configured now, and lists the others. Rules of the
configuration apply on top of those the spans were recorded under.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, ok := h.load(flags(cmd), nil)
			if !ok {
				*code = exitUsage
				return nil
			}
			*code = h.flush(cmd.OutOrStdout(), s, all)
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "send everything to the one place that is configured, wherever it was to go")
	return cmd
}

func (h *host) flush(out io.Writer, s *config.Settings, all bool) int {
	t, err := h.telemetry(s, nil)
	if err != nil {
		h.log.Errorf("%v", err)
		return exitUsage
	}
	defer t.pipeline.Close()
	ctx, cancel := context.WithTimeout(context.Background(), budget(s))
	defer cancel()
	result, err := t.pipeline.SendSpool(ctx, all)
	switch {
	case errors.Is(err, exporter.ErrNowhere):
		// Nothing can be sent, but the list is of use.
	case errors.Is(err, exporter.ErrNoSpool):
		h.log.Errorf("%v", err)
		return exitFailure
	case err != nil:
		h.log.Errorf("%v", err)
	}
	fmt.Fprintf(out, "sent %s in %s\n", count(result.Spans, "span"), count(result.Files, "file"))
	for reason, n := range result.Lost {
		fmt.Fprintf(out, "lost %d spans: %s\n", n, reason)
	}
	mine := 0
	for _, f := range result.Left {
		line := fmt.Sprintf("left %s of %s for %s: %s", count(f.Spans, "span"), f.Written.UTC().Format(time.RFC3339), f.Where, f.Reason)
		fmt.Fprintln(out, say.Inert(say.Clean(line)))
		if f.Mine {
			mine++
		}
	}
	if len(result.Left) > mine {
		fmt.Fprintln(out, "to send these too, configure their endpoint and headers, or add --all to send everything to the one configured")
	}
	if result.Err != nil {
		h.log.Errorf("%s: %v", result.Reason, result.Err)
	}
	if err != nil && !errors.Is(err, exporter.ErrNowhere) || mine > 0 || len(result.Lost) > 0 || result.Err != nil {
		return exitFailure
	}
	return exitOK
}
