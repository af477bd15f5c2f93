package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"cbc-otel/config"
	"cbc-otel/internal/page"
	"cbc-otel/internal/traces"
)

func (h *host) reportCommand(code *int) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "report [flags] [TRACE|FILE]",
		Short: "Write a workflow's page as one file",
		Long: `report writes the page that view shows as one HTML file with its data in it. It
loads nothing and connects to nothing: attach it to a CI job, or open it from the
disk. TRACE is a trace id of the local store, or the start of one; FILE is one of
OTLP JSON lines or a recorded stream, "-" for standard input. Without either it is
the newest workflow of the store or of those that run at this moment.`,
		Example: `  cbc-otel report
  cbc-otel report -o report.html 4bf92f35
  cbc-otel report -o report.html stream.ndjson`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, ok := h.load(flags(cmd), nil)
			if !ok {
				*code = exitUsage
				return nil
			}
			all, err := h.chosen(s, args)
			*code = h.report(cmd.OutOrStdout(), all, err, output)
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "report.html", "file to write, \"-\" for standard output")
	return cmd
}

func (h *host) report(out io.Writer, all []traces.Trace, err error, output string) int {
	if err == nil && len(all) == 0 {
		err = errNoWorkflow
	}
	if err != nil {
		h.log.Errorf("report: %v", err)
		if len(all) == 0 {
			return exitFailure
		}
	}
	var b bytes.Buffer
	if rendered := page.Render(&b, all, h.now()); rendered != nil {
		h.log.Errorf("report: %v", rendered)
		return exitFailure
	}
	var written error
	if output == "-" {
		_, written = out.Write(b.Bytes())
	} else {
		written = os.WriteFile(output, b.Bytes(), 0o666)
	}
	if written != nil {
		h.log.Errorf("report: %v", written)
		return exitFailure
	}
	if err != nil {
		return exitFailure // not all of it is in the report
	}
	return exitOK
}

// find reads the workflows of a file, or those of a trace of the store. What could be read comes with the error.
func (h *host) find(s *config.Settings, what string) ([]traces.Trace, error) {
	o := h.reading(s)
	var all []traces.Trace
	var err error
	if info, statErr := os.Stat(what); what == "-" || statErr == nil && !info.IsDir() {
		all, err = h.readFile(what, o)
	} else {
		store, noStore := h.store(s, o)
		if noStore != nil {
			return nil, noStore
		}
		return store.Open(what)
	}
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("there is no workflow in %s", what)
	}
	return all, err
}

func (h *host) readFile(path string, o traces.Options) ([]traces.Trace, error) {
	if path == "-" {
		return traces.Read(os.Stdin, "standard input", h.now(), o)
	}
	return traces.ReadFile(path, o)
}
