package exporter

import (
	"os"
	"slices"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"cbc-otel/exporter/spool"
)

// destination is what the spool files of a target are known by. Headers, a query in the URL and a client certificate
// say whose the data is, and are secret: they go into the keyed hash.
func destination(t Target, s *spool.Spool) (spool.Destination, error) {
	var cert []byte
	if t.CertFile != "" {
		cert, _ = os.ReadFile(t.CertFile) // not there: nothing can be sent either
	}
	hash, err := s.Hash(t.Headers, []byte(t.URL.RawQuery), cert)
	return spool.Destination{Exporter: "otlp", Endpoint: t.Endpoint(), Protocol: t.Protocol, Headers: hash}, err
}

// loaded is a file of the spool that was read.
type loaded struct {
	spool.Entry
	header spool.Header
	traces *tracepb.TracesData
	err    error
}

func (b *backlog) load(e spool.Entry) loaded {
	l := loaded{Entry: e, traces: &tracepb.TracesData{}}
	var data []byte
	if l.header, data, l.err = b.spool.Load(e); l.err == nil {
		l.err = proto.Unmarshal(data, l.traces)
	}
	return l
}

// batch is what is left of a file to be sent. It may have no spans.
func (l loaded) batch() *Batch {
	spans := 0
	for _, rs := range l.traces.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			spans += len(ss.GetSpans())
		}
	}
	return &Batch{Data: l.traces, Spans: spans, Bytes: proto.Size(l.traces), Last: true}
}

// stale reports whether the rules of this run apply on top of those that a file was written under.
func (f Filter) stale(h spool.Header) bool {
	return f.Spooled != nil && (f.Fingerprint == "" || f.Fingerprint != h.Rules)
}

// units splits files into those that are filtered together: what one run wrote under other rules, as a tree may be in
// several files. All others are filtered alone, or not at all.
func (b *backlog) units(entries []spool.Entry) [][]spool.Entry {
	byWriter := map[string][]spool.Entry{}
	filter := b.lane.pipeline.options.Filter
	stale := map[string]bool{}
	var writers []string
	for _, e := range entries {
		if byWriter[e.Writer] == nil {
			writers = append(writers, e.Writer)
		}
		byWriter[e.Writer] = append(byWriter[e.Writer], e)
		if filter.Spooled != nil && !stale[e.Writer] {
			h, err := b.spool.Header(e)
			stale[e.Writer] = err == nil && filter.stale(h)
		}
	}
	var units [][]spool.Entry
	for _, w := range writers {
		files := byWriter[w]
		if stale[w] {
			// The last first: should it be cut short, what was above the spans that are left is left as well.
			slices.Reverse(files)
			units = append(units, files)
			continue
		}
		for _, e := range files {
			units = append(units, []spool.Entry{e})
		}
	}
	return units
}

// loadUnit reads the files of a unit and applies the rules to what was written under others.
func (b *backlog) loadUnit(entries []spool.Entry) []loaded {
	filter := b.lane.pipeline.options.Filter
	var files []loaded
	var traces []*tracepb.TracesData
	for _, e := range entries {
		l := b.load(e)
		files = append(files, l)
		if l.err == nil && filter.stale(l.header) {
			traces = append(traces, l.traces)
		}
	}
	if len(traces) > 0 {
		filter.Spooled(traces...)
	}
	return files
}
