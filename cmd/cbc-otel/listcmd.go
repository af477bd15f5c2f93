package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cbc-otel/config"
	"cbc-otel/internal/listing"
	"cbc-otel/internal/say"
	"cbc-otel/internal/traces"
)

// listed are the flags of list.
type listed struct {
	status, workflow, since string
	limit                   int
	asJSON                  bool
}

func (h *host) listCommand(code *int) *cobra.Command {
	var l listed
	cmd := &cobra.Command{
		Use:   "list [flags] [FILE...]",
		Short: "List workflows, the newest first",
		Long: `list shows the workflows of the local store and those that run at this moment, the
newest first: when, command, workflow, status, duration, agents, failed agents,
tokens. The first column is the start of the trace id, for show. With file.path set
it reads that file, too. FILE is one of OTLP JSON lines or a recorded stream, to be
read instead.`,
		Example: `  cbc-otel list --status failed --since 7d
  cbc-otel list --json | jq -r '.[] | select(.failed > 0) | .trace_id'`,
		RunE: func(cmd *cobra.Command, files []string) error {
			filter, err := l.filter(h.now())
			if err != nil {
				return err
			}
			s, ok := h.load(flags(cmd), nil)
			if !ok {
				*code = exitUsage
				return nil
			}
			*code = h.list(cmd.OutOrStdout(), s, files, filter, l.asJSON)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&l.status, "status", "", "only workflows that are "+strings.Join(statuses, ", "))
	f.StringVar(&l.workflow, "workflow", "", "only workflows with this in their name")
	f.StringVar(&l.since, "since", "", "only workflows that started since: a duration such as 12h or 7d, a day or a time (2026-12-01, RFC 3339)")
	f.IntVar(&l.limit, "limit", 20, "at most so many, 0 for all")
	f.BoolVar(&l.asJSON, "json", false, "print a JSON array")
	return cmd
}

var statuses = []string{traces.Running, "completed", "failed", "stopped", "interrupted"}

func (l listed) filter(now time.Time) (f traces.Filter, err error) {
	if l.status != "" && !slices.Contains(statuses, l.status) {
		return f, fmt.Errorf("list: --status: %q is none of %s", l.status, strings.Join(statuses, ", "))
	}
	if l.limit < 0 {
		return f, fmt.Errorf("list: --limit: %d is negative", l.limit)
	}
	f = traces.Filter{Status: l.status, Workflow: l.workflow, Limit: l.limit}
	if l.since != "" {
		if f.Since, err = since(l.since, now); err != nil {
			return f, fmt.Errorf("list: --since: %w", err)
		}
	}
	return f, nil
}

// since reads how long ago something was, or when.
func since(text string, now time.Time) (time.Time, error) {
	if d, ok := config.ParseDuration(text); ok {
		return now.Add(-d), nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	return now, fmt.Errorf("%q is no duration (12h, 7d), day (2026-12-01) or time (2026-12-01T09:00:00Z)", text)
}

func (h *host) list(out io.Writer, s *config.Settings, files []string, filter traces.Filter, asJSON bool) int {
	rows, err := h.rows(s, files, filter)
	if err != nil {
		h.log.Errorf("list: %v", err)
		if len(rows) == 0 {
			return exitFailure
		}
	}
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		if rows == nil {
			rows = []traces.Summary{}
		}
		if written := encoder.Encode(rows); written != nil {
			h.log.Errorf("list: %v", written)
			return exitFailure
		}
	} else {
		screen := h.screen()
		_, _ = io.WriteString(out, say.InertLines(listing.Table(rows, listing.Options{Width: screen.width, Color: screen.color, Location: h.now().Location()})))
		if len(rows) == 0 && err == nil {
			h.log.Print("no such workflow")
		}
	}
	if err != nil {
		return exitFailure
	}
	return exitOK
}

// rows lists the workflows of the files, or without any of the store, of file.path and of what runs. What could be
// read comes with the error.
func (h *host) rows(s *config.Settings, files []string, filter traces.Filter) (rows []traces.Summary, err error) {
	o := h.reading(s)
	if len(files) == 0 {
		if rows, err = h.storedRows(s, o, filter); err != nil {
			return nil, err
		}
		if s.File != "" {
			files = []string{s.File}
		}
	}
	optional := len(files) == 1 && files[0] == s.File
	var errs []error
	for _, file := range files {
		all, err := h.readFile(file, o)
		if err != nil && !(optional && errors.Is(err, fs.ErrNotExist)) {
			errs = append(errs, err)
		}
		for _, t := range all {
			rows = append(rows, t.Summary())
		}
	}
	return filter.Cut(rows), errors.Join(errs...)
}

func (h *host) storedRows(s *config.Settings, o traces.Options, filter traces.Filter) ([]traces.Summary, error) {
	store, err := h.store(s, o)
	if err != nil {
		return nil, err
	}
	rows, err := store.List(filter)
	if err != nil {
		return nil, err
	}
	open, err := traces.Journals(journalDir(h.getenv), o)
	if err != nil {
		return nil, err
	}
	for _, t := range open {
		rows = append(rows, t.Summary())
	}
	return rows, nil
}
