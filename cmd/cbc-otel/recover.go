package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"cbc-otel/config"
	"cbc-otel/exporter"
	"cbc-otel/internal/journal"
	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

func (h *host) recoverCommand(code *int) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "recover [flags]",
		Short: "Export the workflows of runs that were killed",
		Long: `recover exports the workflows that were open when a run was killed, as far as its
journal knows them: the same spans under the same ids, what was running marked
as interrupted. Journals of runs that sent elsewhere are listed and left.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, ok := h.load(flags(cmd), nil)
			if !ok {
				*code = exitUsage
				return nil
			}
			*code = h.recover(cmd.OutOrStdout(), s, all)
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "export everything to where is configured now, wherever the run sent")
	return cmd
}

func (h *host) recover(out io.Writer, s *config.Settings, all bool) int {
	ctx, cancel := context.WithTimeout(context.Background(), budget(s))
	defer cancel()
	r, err := h.recoverDead(ctx, s, all)
	if err != nil {
		h.log.Errorf("%v", err)
	}
	fmt.Fprintf(out, "recovered %s with %s\n", count(r.workflows, "workflow"), count(r.spans, "span"))
	for _, left := range r.left {
		fmt.Fprintln(out, say.Inert("left "+left))
	}
	if len(r.left) > 0 {
		fmt.Fprintln(out, "to export these too, name their exporter and place as that run did, or add --all")
	}
	if err != nil || r.failed > 0 {
		return exitFailure
	}
	return exitOK
}

// recovered says what became of the journals of dead runs.
type recovered struct {
	workflows, spans int
	failed           int      // workflows that could be neither exported nor spooled; they stay journaled
	left             []string // journals of other destinations
}

// recoverDead exports what the journals of dead runs hold for the place where the settings send; with all,
// whatever they hold.
func (h *host) recoverDead(ctx context.Context, s *config.Settings, all bool) (r recovered, err error) {
	dir := journalDir(h.getenv)
	if dir == "" {
		return r, nil
	}
	dead, err := journal.Open(dir)
	defer func() {
		for _, d := range dead {
			_ = d.Close()
		}
	}()
	for _, d := range dead {
		if err := h.recoverOne(ctx, s, all, d, &r); err != nil {
			return r, err
		}
	}
	return r, err
}

func (h *host) recoverOne(ctx context.Context, s *config.Settings, all bool, d *journal.Dead, r *recovered) error {
	if len(d.Trees) == 0 {
		return d.Remove()
	}
	var mu sync.Mutex
	safe := map[string]int{} // spans by key of the trees that have their place
	options := h.exporterOptions(s)
	options.ServiceName, options.Resource = "", d.Header.Attributes()
	options.Getenv = withoutResource(h.getenv)
	if d.Header.Rules == s.Filter.Fingerprint() {
		options.Filter = exporter.Filter{} // applied when it was recorded, and a hash of a hash is another value
	}
	options.OnTree = func(result exporter.TreeResult) {
		mu.Lock()
		defer mu.Unlock()
		if result.Lost == 0 {
			safe[hex.EncodeToString(result.TraceID[:])+hex.EncodeToString(result.RootID[:])] = result.Spans
		}
	}
	p, err := exporter.Open(options)
	if err != nil {
		return err
	}
	if len(p.Exporters()) == 0 || !all && p.Destination() != d.Header.Destination {
		p.Close()
		r.left = append(r.left, count(len(d.Trees), "workflow")+" for "+orUnknown(say.Clean(d.Header.Destination)))
		return nil
	}
	dropped := 0
	others := map[string]bool{} // that are no workflows
	for _, t := range d.Trees {
		tree := t.Tree
		others[t.Key] = tree.Spans[0].Kind != mapping.WorkflowSpan
		if d.Header.Rules != s.Filter.Fingerprint() {
			s.Rules.Apply(&tree)
		}
		if len(tree.Spans) == 0 {
			dropped++
			continue
		}
		p.Export(tree)
	}
	p.Flush(ctx)
	mu.Lock()
	defer mu.Unlock()
	for key, spans := range safe {
		if err := d.Exported(key); err != nil {
			return err
		}
		if !others[key] {
			r.workflows++
		}
		r.spans += spans
	}
	if missing := len(d.Trees) - dropped - len(safe); missing > 0 {
		r.failed += missing
		return nil
	}
	return d.Remove()
}

// withoutResource hides what would describe this run: the journal says what described its own.
func withoutResource(getenv func(string) string) func(string) string {
	return func(key string) string {
		if key == "OTEL_RESOURCE_ATTRIBUTES" || key == "OTEL_SERVICE_NAME" {
			return ""
		}
		return getenv(key)
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "an unknown place"
	}
	return s
}

// background recovers what earlier runs left behind while the command runs.
type background struct {
	cancel context.CancelFunc
	done   chan recovered
}

func (h *host) startRecovery(s *config.Settings) *background {
	ctx, cancel := context.WithCancel(context.Background())
	b := &background{cancel: cancel, done: make(chan recovered, 1)}
	go func() {
		r, err := h.recoverDead(ctx, s, false)
		if err != nil {
			h.log.Warnf("recovering earlier runs: %v", err)
		}
		b.done <- r
	}()
	return b
}

// stop lets it go on for at most the time that is left, and then cuts it short. Journals that were not
// recovered stay for the next run.
func (b *background) stop(left time.Duration) recovered {
	if b == nil {
		return recovered{}
	}
	defer b.cancel()
	timer := time.AfterFunc(left, b.cancel)
	defer timer.Stop()
	return <-b.done
}
