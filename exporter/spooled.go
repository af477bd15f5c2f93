package exporter

import (
	"os"

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

// decodeSpooled reads the data of a spool file and applies the rules of this run on top of those it was written
// under. The batch has fewer spans than the file if a rule drops some, and may have none.
func decodeSpooled(h spool.Header, data []byte, f Filter) (*Batch, error) {
	traces := &tracepb.TracesData{}
	if err := proto.Unmarshal(data, traces); err != nil {
		return nil, err
	}
	if f.Spooled != nil && (f.Fingerprint == "" || f.Fingerprint != h.Rules) {
		f.Spooled(traces)
	}
	spans := 0
	for _, rs := range traces.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			spans += len(ss.GetSpans())
		}
	}
	return &Batch{Data: traces, Spans: spans, Bytes: proto.Size(traces), Last: true}, nil
}
