package main

import (
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"cbc-otel/config"
	"cbc-otel/internal/replay"
	"cbc-otel/mapping"
)

func (h *host) replayCommand(code *int) *cobra.Command {
	return &cobra.Command{
		Use:   "replay [flags] FILE...|-",
		Short: "Export the workflows of recorded streams",
		Long: `replay exports the workflows of streams that were recorded before (.ndjson, also
packed with gzip). Ids are a function of the stream: replaying it again gives
the same spans. "-" is standard input.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, ok := h.load(flags(cmd), nil)
			if !ok {
				*code = exitUsage
				return nil
			}
			*code = h.replay(s, args)
			return nil
		},
	}
}

// replay exports what is in the files. One that cannot be read fails the command, not the others.
func (h *host) replay(s *config.Settings, files []string) int {
	begun := h.now()
	t, err := h.telemetry(s, nil)
	if err != nil {
		h.log.Errorf("%v", err)
		return exitUsage
	}
	if s.Metrics.Enabled {
		h.log.Infof("a replay makes no metrics: what was counted when it happened is not counted again")
	}
	code := exitOK
	account := h.account(s.Receipt)
	var shown shown
	for _, file := range files {
		stats, err := h.replayFile(t, file, &shown)
		account.add(stats.Counts, stats.Mapping)
		if err != nil {
			h.log.Errorf("%s: %v", file, err)
			code = exitFailure
		}
	}
	ctx, cancel := t.budget(nil)
	defer cancel()
	report := t.flush(ctx)
	account.close(t.hits, report, h.now().Sub(begun))
	h.show(&shown, s)
	if code == exitOK && report.Lost() > 0 {
		code = exitFailure // nothing else was asked of us
	}
	return code
}

func (h *host) replayFile(t *telemetry, file string, shown *shown) (replay.Stats, error) {
	in, modified, err := openStream(file, h.now())
	if err != nil {
		return replay.Stats{}, err
	}
	defer in.Close() //nolint:errcheck // only read
	options := h.mapping(t.settings, t.redactor.Redact)
	options.Origin = modified
	return replay.Run(in, replay.Options{Mapping: options, OnTree: func(tree mapping.Tree) {
		tree = t.filter(tree)
		shown.add(tree)
		t.pipeline.Export(tree)
	}})
}

// openStream opens a file, or standard input for "-", and tells when it was written last.
func openStream(file string, now time.Time) (io.ReadCloser, time.Time, error) {
	if file == "-" {
		return io.NopCloser(os.Stdin), now, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, now, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, now, err
	}
	return f, info.ModTime(), nil
}
