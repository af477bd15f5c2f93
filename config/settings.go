// Package config finds out what the user wants: flags, environment variables, one YAML file and defaults,
// in this order of precedence, checked as a whole before anything starts.
//
// Every setting is one row of the table in table.go. Flags, variables, keys of the file, the JSON Schema,
// help and reference documentation are made from it.
package config

import (
	"slices"
	"strings"
	"time"

	"cbc-otel/filter"
	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

// Settings are the result of [Load], complete and checked.
type Settings struct {
	ConfigFile string   // the file that was read, or ""
	Exporters  []string // otlp, file, console; empty: nothing is exported
	OTLP       OTLP
	Metrics    Metrics
	File       string // where the exporter file appends; "": the store
	Store      Store
	StateDir   string // what the program has to remember: $XDG_STATE_HOME/cbc-otel; "" without a home

	ServiceName string
	Resource    []mapping.Attribute // of the file; OTEL_RESOURCE_ATTRIBUTES is left to the SDK and yields to these

	Grace        time.Duration
	FlushTimeout time.Duration
	Tap          string // auto, always, never
	Parent       string // child, link, ignore, github
	SessionSpan  bool
	Native       string // off, merge
	Content      bool
	AgentNames   string // label, type, none
	ErrorText    string // text, type
	Drain        string // exit, wait
	OnSignal     string // forward, interrupt

	Receipt          string
	Summary          string // a file, or "auto"
	Progress         string // auto, tty, plain, none
	TraceLink        string // with {trace_id}, or ""
	RequireTelemetry bool
	Strict           bool
	LogLevel         say.Level

	Filter filter.Config // as in the file
	Rules  *filter.Rules // the same compiled; nil only with errors

	SDKDisabled       bool // OTEL_SDK_DISABLED: nothing is exported
	WorkflowsDisabled bool // CODEBUDDY_DISABLE_WORKFLOWS: there will be no workflows

	Origins map[string]Origin // where each setting of [Table] comes from, by name
	Notes   []Note            // what is worth saying about them

	root *node // of the file
}

// OTLP says how the exporter otlp sends. Values of OTEL_EXPORTER_OTLP_* variables are in it already.
type OTLP struct {
	Endpoint    string // as given; "" if the exporter is not used
	URL         string // where traces go: for http/protobuf with its path, for grpc scheme, host and port
	Protocol    string // grpc, http/protobuf
	Headers     []Header
	Compression string // gzip, none
	Timeout     time.Duration
	TLS         TLS
}

// Metrics says whether and where metrics go.
type Metrics struct {
	Enabled      bool
	Endpoint     string   // as given for metrics alone; "": none
	Headers      []Header // the same
	Temporality  string   // cumulative, delta, lowmemory
	WorkflowName bool

	OTLP OTLP // where and how they are sent, worked out of all that; without a URL nowhere
}

// TLS names files with PEM blocks.
type TLS struct {
	CAFile, CertFile, KeyFile string
	Insecure                  bool // plaintext; the scheme of the endpoint says the same
}

// Store is where traces are kept on this machine.
type Store struct {
	Dir      string // "" without a home: no store
	MaxAge   time.Duration
	MaxBytes int64
}

// Note is a remark that does not stop anything.
type Note struct {
	Level say.Level
	Text  string
}

// Uses reports whether an exporter is on.
func (s *Settings) Uses(exporter string) bool {
	return slices.Contains(s.Exporters, exporter)
}

// Mask takes the secrets of the configuration out of a text. (Secrets of well-known form are for package
// filter.)
func (s *Settings) Mask(text string) string {
	for _, h := range slices.Concat(s.OTLP.Headers, s.Metrics.Headers, s.Metrics.OTLP.Headers) {
		text = mask(text, string(h.Value))
		if _, token, ok := strings.Cut(string(h.Value), " "); ok { // Bearer …
			text = mask(text, token)
		}
	}
	return mask(text, s.Filter.Redaction.HMACKey)
}

// mask leaves very short values alone: they would be found everywhere, and are no secrets.
func mask(text, secret string) string {
	if len(secret) < 6 {
		return text
	}
	return strings.ReplaceAll(text, secret, masked)
}
