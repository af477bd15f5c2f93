package exporter

import (
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"cbc-otel/exporter/spool"
	"cbc-otel/internal/say"
	"cbc-otel/internal/statedir"
	"cbc-otel/mapping"
)

// Options of a [Pipeline]. Only Exporters and Getenv are required.
type Options struct {
	Exporters []string // of Names; several at once

	OTLP    OTLP
	File    string // where "file" appends; "": the store
	Store   Store
	Console Console
	Spool   Spool

	// The resource: ServiceName and Resource win over OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, which win
	// over DefaultResource (where a service.name that was only guessed belongs), which is asked for when there is
	// something to export.
	ServiceName     string
	Resource        []mapping.Attribute
	DefaultResource func() []mapping.Attribute

	Filter  Filter
	Version string // of the program, and so of the scope

	Getenv func(string) string
	Now    func() time.Time // default time.Now
	Log    *say.Logger      // nil: silent
	Stdout fs.FileInfo      // of descriptor 1, which "file" must not be; nil: unknown

	// OnTree is called once for each tree given to Export, when nothing more will become of its spans; by any
	// goroutine, at the latest within Flush.
	OnTree func(TreeResult)

	// Kept reports whether the caller holds every tree until OnTree says that nothing of it was lost, and will try
	// again: what the end of a flush cuts short then counts as spooled. Nil is no.
	Kept func() bool

	MaxSpans, MaxBytes int // of a batch; default DefaultMaxSpans, DefaultMaxBytes
}

// Spool says where batches are kept that could not be sent. Zero fields have their defaults.
type Spool struct {
	Off      bool
	Base     string // the program's folder; default: of the state home
	MaxBytes int64
	MaxAge   time.Duration
	// Grace is how long a flush waits for files that are being sent, once its own spans have their place, and half of
	// it for a receiver that counts as down; default 500 ms.
	Grace time.Duration
}

func (s Spool) grace() time.Duration {
	if s.Grace <= 0 {
		return 500 * time.Millisecond
	}
	return s.Grace
}

// Filter holds the privacy rules as far as they are applied here: to the resource, which is put together here, and to
// what an earlier run spooled, on top of its own rules. Trees given to Export are filtered already. Nil changes
// nothing.
type Filter struct {
	Resource func([]mapping.Attribute) []mapping.Attribute
	Spooled  func(...*tracepb.TracesData) // files of one run together: a span that is dropped takes those below it with it
	// Fingerprint tells rules apart. What was spooled under the same rules is not filtered again: the hash of a hash
	// would be another value. Empty: always filtered.
	Fingerprint string
}

// settings is what Open worked out of the options.
type settings struct {
	target     Target // for otlp
	store      string // folder, for file
	resource   func() []mapping.Attribute
	sampler    sdktrace.Sampler
	spanLimits sdktrace.SpanLimits
	spool      *spool.Spool // nil: there is none
	waits      *waits
	warnings   []string
	skip       []string // backends that cannot work here though nothing is wrong
}

// resolve checks the options and works out the settings, without side effects. All errors are returned together.
func resolve(o *Options) (chosen []backend, s settings, err error) {
	var errs []error
	chosen, err = selected(o.Exporters)
	if err != nil {
		errs = append(errs, err)
	}
	if o.Getenv("OTEL_SDK_DISABLED") == "true" {
		chosen = nil
	}
	for _, b := range chosen {
		if err := b.check(o, &s); err != nil {
			errs = append(errs, err)
		}
	}
	chosen = slices.DeleteFunc(chosen, func(b backend) bool { return slices.Contains(s.skip, b.name) })
	if len(chosen) == 0 {
		return nil, s, errors.Join(errs...)
	}
	if base := o.Spool.Base; !o.Spool.Off {
		if base == "" {
			base, _ = statedir.Base(o.Getenv) // without a home there is no spool
		}
		if base != "" {
			s.spool = spool.New(spool.Options{Base: base, MaxBytes: o.Spool.MaxBytes, MaxAge: o.Spool.MaxAge, Now: o.Now})
		}
	}
	fromEnv, warnings := parseResource(o.Getenv("OTEL_RESOURCE_ATTRIBUTES"))
	s.warnings = append(s.warnings, warnings...)
	s.resource = sync.OnceValue(func() []mapping.Attribute { return resourceAttributes(*o, fromEnv) })
	s.sampler, warnings = sampler(o.Getenv)
	s.warnings = append(s.warnings, warnings...)
	s.spanLimits, warnings = spanLimits(o.Getenv)
	s.warnings = append(s.warnings, warnings...)
	return chosen, s, errors.Join(errs...)
}

func (o *Options) defaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.MaxSpans <= 0 {
		o.MaxSpans = DefaultMaxSpans
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
}
