package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
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
	r, err := h.recoverDead(ctx, s, all, true)
	if err != nil {
		h.log.Errorf("%v", err)
	}
	fmt.Fprintf(out, "recovered %s with %s\n", count(r.workflows, "workflow"), count(r.spans, "span"))
	for _, gone := range r.expired {
		h.log.Warnf("%s", gone)
	}
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
	expired          []string // those that were removed for their age
}

// recoverDead exports what the journals of dead runs hold for the place where the settings send; with all, whatever
// they hold. What is for another place stays, for a while, and is only read if it is to be listed.
func (h *host) recoverDead(ctx context.Context, s *config.Settings, all, list bool) (r recovered, err error) {
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
	if len(dead) == 0 {
		return r, err
	}
	here, openErr := h.destination(s)
	if openErr != nil {
		return r, errors.Join(err, openErr)
	}
	var mine []*journal.Dead
	for _, d := range dead {
		if ctx.Err() != nil {
			return r, err
		}
		readable := d.Err == nil
		if !readable && list {
			err = errors.Join(err, d.Err)
		}
		ours := readable && here != nowhere && (all || d.Header.Destination == here)
		if ours || list && readable {
			if one := d.Load(); one != nil {
				err = errors.Join(err, one)
				if !errors.Is(one, journal.ErrDamaged) {
					continue
				}
			}
		}
		switch {
		case ours, readable && d.Header.Version == 0, readable && list && len(d.Trees) == 0: // in the latter two is nothing
			mine = append(mine, d)
			continue // it stays ours
		case h.now().Sub(d.Modified) > journal.MaxAge:
			r.expired = append(r.expired, fmt.Sprintf("the journal of a run that was killed on %s is removed: nobody recovered it, for %s",
				d.Modified.Format(time.DateOnly), orUnknown(d.Header.Destination)))
			err = errors.Join(err, d.Remove())
		case list && readable:
			r.left = append(r.left, count(len(d.Trees), "workflow")+" for "+orUnknown(say.Clean(d.Header.Destination)))
		}
		err = errors.Join(err, d.Close())
	}
	journal.KeepNewest(mine)
	for _, d := range mine {
		if ctx.Err() != nil {
			return r, err
		}
		if one := h.recoverOne(ctx, s, d, &r); one != nil {
			return r, errors.Join(err, one)
		}
	}
	return r, err
}

// nowhere is the destination of settings without an exporter.
const nowhere = ""

// destination is where the settings send, as journals name it.
func (h *host) destination(s *config.Settings) (string, error) {
	p, err := exporter.Open(h.exporterOptions(s))
	if err != nil {
		return nowhere, err
	}
	defer p.Close()
	return p.Destination(), nil
}

// recoverOne exports what one journal holds, and removes it when all of that has its place.
func (h *host) recoverOne(ctx context.Context, s *config.Settings, d *journal.Dead, r *recovered) error {
	groups := map[string][]journal.Recovered{} // by the exporters that lost them
	for _, t := range d.Trees {
		key := strings.Join(t.LostIn, ",")
		groups[key] = append(groups[key], t)
	}
	failed := 0
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		n, err := h.recoverGroup(ctx, s, d, groups[key], r)
		if err != nil {
			return err
		}
		failed += n
	}
	if failed > 0 {
		r.failed += failed
		return nil
	}
	return d.Remove()
}

// recoverGroup exports trees that the same exporters lost, to these alone. It returns how many have no place yet.
func (h *host) recoverGroup(ctx context.Context, s *config.Settings, d *journal.Dead, trees []journal.Recovered, r *recovered) (failed int, err error) {
	options := h.exporterOptions(s)
	lacking := slices.DeleteFunc(slices.Clone(options.Exporters), func(name string) bool { return !slices.Contains(trees[0].LostIn, name) })
	if len(lacking) > 0 {
		options.Exporters = lacking
	}
	options.ServiceName, options.Resource = "", d.Header.Attributes()
	options.Getenv = withoutResource(h.getenv)
	same := d.Header.Rules == s.Filter.Fingerprint()
	if same {
		options.Filter.Resource = nil // applied when it was recorded, and a hash of a hash is another value
	}
	options.Kept = func() bool { return true }
	var mu sync.Mutex
	var results []exporter.TreeResult
	options.OnTree = func(result exporter.TreeResult) {
		mu.Lock()
		defer mu.Unlock()
		results = append(results, result)
	}
	p, err := exporter.Open(options)
	if err != nil {
		return 0, err
	}
	workflows := map[string]bool{} // by key; false: of another kind
	for _, t := range trees {
		tree := t.Tree
		if !same {
			s.Rules.Apply(&tree)
		}
		if len(tree.Spans) > 0 {
			workflows[t.Key] = t.Tree.Spans[0].Kind == mapping.WorkflowSpan
			p.Export(tree)
		}
	}
	failed = len(workflows)
	p.Flush(ctx)
	mu.Lock()
	defer mu.Unlock()
	for _, result := range results {
		key := resultKey(result)
		if result.Lost > 0 {
			if len(result.LostIn) < len(options.Exporters) {
				err = errors.Join(err, d.Lost(key, result.LostIn))
			}
			continue
		}
		failed--
		if err := d.Exported(key); err != nil {
			return failed, err
		}
		if workflows[key] {
			r.workflows++
		}
		r.spans += result.Spans
	}
	return failed, err
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
		quiet := *h
		quiet.log = nil // the run speaks of the same exporters
		r, err := quiet.recoverDead(ctx, s, false, false)
		if err != nil {
			h.log.Warnf("recovering earlier runs: %v", err)
		}
		if r.failed > 0 {
			h.log.Warnf("%s of earlier runs could not be exported; a later run tries again", count(r.failed, "workflow"))
		}
		for _, gone := range r.expired {
			h.log.Warnf("%s", gone)
		}
		b.done <- r
	}()
	return b
}

// recoveryEnd is how long a recovery that is cut short may take to end: a file is read, or written, to its end.
const recoveryEnd = time.Second

// stop lets it go on until ctx ends, and then cuts it short. Journals that were not recovered stay for the next run.
func (b *background) stop(ctx context.Context) recovered {
	if b == nil {
		return recovered{}
	}
	defer b.cancel()
	select {
	case r := <-b.done:
		return r
	case <-ctx.Done():
		b.cancel()
	}
	timer := time.NewTimer(recoveryEnd)
	defer timer.Stop()
	select {
	case r := <-b.done:
		return r
	case <-timer.C:
		return recovered{}
	}
}
