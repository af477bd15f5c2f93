package main

import (
	"context"
	"os"
	"strconv"
	"sync"

	"github.com/spf13/cobra"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"cbc-otel/config"
	"cbc-otel/exporter"
	"cbc-otel/filter"
	"cbc-otel/internal/insight"
	"cbc-otel/internal/otlpfilter"
	"cbc-otel/internal/say"
	"cbc-otel/internal/tracectx"
	"cbc-otel/mapping"
)

// load reads the settings of a command and prints what is wrong with them; ok is false if anything is.
func (h *host) load(given map[string]string, command []string) (s *config.Settings, ok bool) {
	s, errs := h.settings(given, command)
	for _, err := range errs {
		h.log.Errorf("%v", err)
	}
	return s, len(errs) == 0
}

// settings reads the settings and applies those that concern what we print.
func (h *host) settings(given map[string]string, command []string) (*config.Settings, config.Errors) {
	s, errs := config.Load(config.Options{Flags: given, Getenv: h.getenv, Command: command})
	h.log.SetLevel(s.LogLevel)
	h.log.SetMask(func(text string) string { return filter.Redact(s.Mask(text)) })
	for _, note := range s.Notes {
		h.log.Logf(note.Level, "%s", note.Text)
	}
	return s, errs
}

func flags(cmd *cobra.Command) map[string]string { return config.Given(cmd.Flags()) }

// telemetry is everything between a mapped workflow and where it goes.
type telemetry struct {
	settings *config.Settings
	rules    *filter.Rules
	redactor *filter.Redactor
	mu       sync.Mutex  // guards hits
	hits     filter.Hits // by the time of flush's return all of them
	pipeline *exporter.Pipeline
	metrics  *metered // nil: none
}

// telemetry opens what the settings ask for. Nothing is dialled or written yet.
func (h *host) telemetry(s *config.Settings, adapt func(*exporter.Options)) (*telemetry, error) {
	t := &telemetry{settings: s, rules: s.Rules, redactor: s.Rules.Redactor()}
	options := h.exporterOptions(s)
	options.Filter.Resource = func(attrs []mapping.Attribute) []mapping.Attribute {
		kept, hits := s.Rules.ApplyResource(attrs)
		t.count(hits)
		return kept
	}
	if adapt != nil {
		adapt(&options)
	}
	var err error
	t.pipeline, err = exporter.Open(options)
	return t, err
}

// exporterOptions translates the settings.
func (h *host) exporterOptions(s *config.Settings) exporter.Options {
	o := exporter.Options{
		Exporters:   s.Exporters,
		OTLP:        otlpOptions(s.OTLP),
		File:        s.File,
		Store:       exporter.Store{Dir: s.Store.Dir, MaxAge: s.Store.MaxAge, MaxBytes: s.Store.MaxBytes},
		Console:     exporter.Console{Out: say.Stderr(), Width: h.columns()},
		ServiceName: s.ServiceName,
		Resource:    s.Resource,
		Filter: exporter.Filter{
			Resource: func(attrs []mapping.Attribute) []mapping.Attribute {
				kept, _ := s.Rules.ApplyResource(attrs)
				return kept
			},
			Spooled:     func(traces ...*tracepb.TracesData) { otlpfilter.Apply(s.Rules, traces...) },
			Fingerprint: s.Filter.Fingerprint(),
		},
		Version: version,
		Getenv:  h.getenv,
		Now:     h.now,
		Log:     h.log,
	}
	if info, err := os.Stdout.Stat(); err == nil {
		o.Stdout = info
	}
	return o
}

func otlpOptions(o config.OTLP) exporter.OTLP {
	return exporter.OTLP{
		Endpoint: o.URL, Exact: true, Protocol: o.Protocol, Headers: o.HeaderMap(), Compression: o.Compression, Timeout: o.Timeout,
		CAFile: o.TLS.CAFile, CertFile: o.TLS.CertFile, KeyFile: o.TLS.KeyFile, Insecure: o.TLS.Insecure,
	}
}

// columns is the width of the user's terminal if a variable tells it, else 0.
func (h *host) columns() int {
	n, err := strconv.Atoi(h.getenv("COLUMNS"))
	if err != nil {
		return 0
	}
	return n
}

// mapping translates the settings for the mapper.
func (h *host) mapping(s *config.Settings, redact func(string) string) mapping.Options {
	o := mapping.Options{
		Grace:      s.Grace,
		Content:    s.Content,
		Redact:     redact,
		AgentNames: s.AgentNames,
		ErrorText:  s.ErrorText,
		Settled:    insight.Annotate,
	}
	o.ParentMode, o.Parent = h.parent(s)
	return o
}

// parent returns the span of others that workflows belong to, and how: child, link or ignore.
func (h *host) parent(s *config.Settings) (mode string, parent mapping.SpanContext) {
	mode = s.Parent
	if mode == "github" {
		mode = "child"
		if run, ok := tracectx.GitHubRun(h.getenv); ok {
			return mode, run
		}
	}
	parent, _ = tracectx.Inbound()
	return mode, parent
}

// filter applies the rules to a tree. Nothing is left of it if they dropped it whole.
func (t *telemetry) filter(tree mapping.Tree) mapping.Tree {
	t.count(t.rules.Apply(&tree))
	return tree
}

func (t *telemetry) count(hits filter.Hits) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hits.Add(hits)
}

// budget is what ending a run may take: the user's time, or until a signal says to hurry.
func (t *telemetry) budget(hurry <-chan os.Signal) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), t.settings.FlushTimeout)
	over := make(chan struct{})
	go func() {
		select {
		case <-hurry:
			cancel()
		case <-over:
		}
	}()
	return ctx, sync.OnceFunc(func() {
		close(over)
		cancel()
	})
}

// flush ends the export.
func (t *telemetry) flush(ctx context.Context) exporter.Report {
	sent := t.metrics.send(ctx)
	report := t.pipeline.Flush(ctx)
	sent()
	t.count(t.redactor.Hits())
	return report
}
