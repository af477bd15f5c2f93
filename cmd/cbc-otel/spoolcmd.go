package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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
		Long: `flush sends the spans and metrics that earlier runs could not deliver to the place
they were to go, if that is the one configured now, and lists the others. Rules
of the configuration apply on top of those they were recorded under.`,
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
	mine := flushed(out, result, "span", place(t.pipeline))
	metricsOK := h.flushMetrics(ctx, out, s, all)
	if result.Err != nil {
		h.log.Errorf("%s: %v", result.Reason, result.Err)
	}
	if err != nil && !errors.Is(err, exporter.ErrNowhere) || mine > 0 || len(result.Lost) > 0 || result.Err != nil || !metricsOK {
		return exitFailure
	}
	return exitOK
}

// place is where the first exporter writes, which is what the spool is sent to.
func place(p *exporter.Pipeline) string {
	if target, ok := p.Target(); ok {
		return target.Endpoint()
	}
	if dir := p.StorePath(); dir != "" {
		return "the local store, " + dir
	}
	return strings.Join(p.Exporters(), ", ")
}

// flushed tells what became of a spool; it returns how many files are left of those that belong where is configured.
func flushed(out io.Writer, r exporter.SpoolResult, what, place string) (mine int) {
	line := fmt.Sprintf("sent %s in %s", count(r.Spans, what), count(r.Files, "file"))
	if r.Spans > 0 {
		line += " to " + place
	}
	fmt.Fprintln(out, say.Inert(say.Clean(line)))
	for reason, n := range r.Lost {
		fmt.Fprintf(out, "lost %d %ss: %s\n", n, what, reason)
	}
	for _, f := range r.Left {
		line := fmt.Sprintf("left %s of %s for %s: %s", count(f.Spans, what), f.Written.UTC().Format(time.RFC3339), f.Where, f.Reason)
		fmt.Fprintln(out, say.Inert(say.Clean(line)))
		if f.Mine {
			mine++
		}
	}
	if len(r.Left) > mine {
		fmt.Fprintln(out, "to send these too, configure their endpoint and headers, or add --all to send everything to the one configured")
	}
	return mine
}

// flushMetrics sends the metrics that wait, whether or not new ones are to be made. It says nothing if there are none,
// and reports whether all is well.
func (h *host) flushMetrics(ctx context.Context, out io.Writer, s *config.Settings, all bool) bool {
	if s.Metrics.OTLP.URL == "" {
		return true
	}
	p, err := exporter.OpenMetrics(h.metricOptions(s))
	if err != nil {
		h.log.Errorf("%v", err)
		return false
	}
	result, err := p.SendSpool(ctx, all)
	if errors.Is(err, exporter.ErrNoSpool) {
		return true // said already
	}
	if err != nil {
		h.log.Errorf("%v", err)
	}
	if result.Files+len(result.Left)+len(result.Lost) == 0 {
		return err == nil
	}
	mine := flushed(out, result, "data point", s.Metrics.OTLP.URL)
	if result.Err != nil {
		h.log.Errorf("metrics: %s: %v", result.Reason, result.Err)
	}
	return err == nil && mine == 0 && len(result.Lost) == 0 && result.Err == nil
}
