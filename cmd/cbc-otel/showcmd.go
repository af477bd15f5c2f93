package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"cbc-otel/config"
	"cbc-otel/internal/say"
	"cbc-otel/internal/traces"
	"cbc-otel/internal/waterfall"
)

// shownAs are the flags of show.
type shownAs struct{ asJSON, ascii, below bool }

func (h *host) showCommand(code *int) *cobra.Command {
	var as shownAs
	cmd := &cobra.Command{
		Use:   "show [flags] [TRACE|FILE]",
		Short: "Show a workflow as a waterfall in the terminal",
		Long: `show draws workflows: phases and agents with bars on a time axis, the time they
waited for their start shaded, agents on the critical path marked, states, tokens
and errors; below it, what the time went into.

TRACE is a trace id of the local store, or the start of one; FILE is one of OTLP
JSON lines or a recorded stream, "-" for standard input. Without either it is the
newest workflow of the store or of those that run at this moment.

Colours are used on a terminal only, and never with NO_COLOR set. COLUMNS sets the
width where the terminal does not.`,
		Example: `  cbc-otel show
  cbc-otel show 4bf92f35
  cbc-otel show --json stream.ndjson`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, ok := h.load(flags(cmd), nil)
			if !ok {
				*code = exitUsage
				return nil
			}
			all, err := h.chosen(s, args)
			*code = h.showTraces(cmd.OutOrStdout(), all, err, as)
			return nil
		},
	}
	cmd.Flags().BoolVar(&as.asJSON, "json", false, "print a JSON array")
	cmd.Flags().BoolVar(&as.ascii, "ascii", false, "draw with ASCII characters alone")
	cmd.Flags().BoolVar(&as.below, "below", false, "show spans below agents, too: requests and tools")
	return cmd
}

var errNoWorkflow = errors.New("there is no workflow yet")

func (h *host) showTraces(out io.Writer, all []traces.Trace, err error, as shownAs) int {
	if err == nil && len(all) == 0 {
		err = errNoWorkflow
	}
	if err != nil {
		h.log.Errorf("show: %v", err)
		if len(all) == 0 {
			return exitFailure
		}
	}
	screen := h.screen()
	if screen.width == 0 {
		screen.width = 100
	}
	if as.asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		if written := encoder.Encode(all); written != nil {
			h.log.Errorf("show: %v", written)
			return exitFailure
		}
	} else {
		for i, t := range all {
			if i > 0 {
				fmt.Fprintln(out)
			}
			_, _ = io.WriteString(out, say.InertLines(waterfall.Draw(t.Tree, waterfall.Options{
				Width: screen.width, Color: screen.color, ASCII: as.ascii, Insights: true, Below: as.below,
			})))
		}
	}
	if err != nil {
		return exitFailure // not all of it was shown
	}
	return exitOK
}

// chosen are the workflows that an argument names, or the newest.
func (h *host) chosen(s *config.Settings, args []string) ([]traces.Trace, error) {
	if len(args) > 0 {
		return h.findOrLive(s, args[0])
	}
	return h.newest(s)
}

// newest is the workflow that started last.
func (h *host) newest(s *config.Settings) ([]traces.Trace, error) {
	rows, err := h.rows(s, nil, traces.Filter{Limit: 1})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	row, o := rows[0], h.reading(s)
	if row.Live {
		open, err := traces.Journals(journalDir(h.getenv), o)
		if err != nil {
			return nil, err
		}
		if found, err := traces.Select(open, row.Key()); err == nil {
			return found, nil
		}
		return h.find(s, row.Key()) // it has just ended
	}
	all, err := traces.ReadFile(row.Path, o)
	if err != nil {
		return nil, err
	}
	return traces.Select(all, row.Key())
}

// findOrLive is find, also among the workflows that run at this moment.
func (h *host) findOrLive(s *config.Settings, what string) ([]traces.Trace, error) {
	found, err := h.find(s, what)
	if !errors.Is(err, traces.ErrNotFound) {
		return found, err
	}
	if open, failed := traces.Journals(journalDir(h.getenv), h.reading(s)); failed == nil {
		if live, failed := traces.Select(open, what); failed == nil {
			return live, nil
		}
	}
	return nil, fmt.Errorf("%s: no such file, and no such trace in the store", say.Clean(what))
}
