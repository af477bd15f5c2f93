package exporter

import (
	"slices"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"cbc-otel/mapping"
)

// Limits of a batch. Receivers refuse gRPC messages over 4 MiB by default, so half of that leaves room for
// whoever adds attributes on the way.
const (
	DefaultMaxSpans = 512
	DefaultMaxBytes = 2 << 20
)

// Batch is what an exporter gets at a time: spans of one resource and scope, within the limits. It is shared
// between exporters and must not be changed.
type Batch struct {
	Data  *tracepb.TracesData
	Spans int
	Bytes int  // as a marshalled protobuf message, or a few more
	Last  bool // no batch of the same tree follows

	tree  *tracked // nil: not from a tree of this run
	parts []*Batch // what it was joined from, if it was
}

// newBatch makes a batch of spans with the resource and scope of like.
func newBatch(like *tracepb.ResourceSpans, spans []*tracepb.Span) *Batch {
	data := withSpans(like, spans)
	return &Batch{Data: data, Spans: len(spans), Bytes: proto.Size(data)}
}

// withSpans is a message of spans with the resource and scope of like.
func withSpans(like *tracepb.ResourceSpans, spans []*tracepb.Span) *tracepb.TracesData {
	return &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource:  like.GetResource(),
		SchemaUrl: like.GetSchemaUrl(),
		ScopeSpans: []*tracepb.ScopeSpans{{
			Scope:     like.GetScopeSpans()[0].GetScope(),
			SchemaUrl: like.GetScopeSpans()[0].GetSchemaUrl(),
			Spans:     spans,
		}},
	}}}
}

// limits bound a batch.
type limits struct {
	spans int
	bytes int
}

// split cuts the spans of rs, which has one scope, into batches within the limits, in their order. A span that
// is too large by itself first loses what it can spare; trimmed counts those.
func (l limits) split(rs *tracepb.ResourceSpans) (batches []*Batch, trimmed int) {
	spans := rs.GetScopeSpans()[0].GetSpans()
	// Room for the lengths of the messages around the spans, which grow with them, is reserved.
	const lengths = 16
	overhead := proto.Size(withSpans(rs, nil)) + lengths
	from, size := 0, overhead
	end := func(i int) {
		batches = append(batches, &Batch{Data: withSpans(rs, spans[from:i:i]), Spans: i - from, Bytes: size})
	}
	for i, s := range spans {
		n := fieldSize(s)
		if overhead+n > l.bytes {
			if trim(s, l.bytes-overhead) {
				trimmed++
			}
			n = fieldSize(s)
		}
		if i > from && (i-from == l.spans || size+n > l.bytes) {
			end(i)
			from, size = i, overhead
		}
		size += n
	}
	if from < len(spans) {
		end(len(spans))
	}
	if len(batches) > 0 {
		batches[len(batches)-1].Last = true
	}
	return batches, trimmed
}

// each lists the batches of single trees that are in b.
func (b *Batch) each() []*Batch {
	if b.parts == nil {
		return []*Batch{b}
	}
	return b.parts
}

// join makes one batch of several with the same resource and scope.
func join(batches []*Batch) *Batch {
	var spans []*tracepb.Span
	var parts []*Batch
	for _, b := range batches {
		spans = append(spans, b.Data.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()...)
		parts = append(parts, b.each()...)
	}
	joined := newBatch(batches[0].Data.GetResourceSpans()[0], spans)
	if len(parts) > 1 {
		joined.parts, joined.Last = parts, true
		return joined
	}
	joined.tree, joined.Last = parts[0].tree, parts[0].Last
	return joined
}

// halves cuts a batch in two, for a receiver that finds it too large; between trees if it can.
func (b *Batch) halves() []*Batch {
	if n := len(b.parts); n > 1 {
		return []*Batch{join(b.parts[:n/2]), join(b.parts[n/2:])}
	}
	rs := b.Data.GetResourceSpans()[0]
	spans := rs.GetScopeSpans()[0].GetSpans()
	middle := len(spans) / 2
	two := []*Batch{newBatch(rs, spans[:middle:middle]), newBatch(rs, spans[middle:])}
	for _, half := range two {
		half.tree = b.tree
	}
	two[1].Last = b.Last
	return two
}

// fieldSize is the size of s in bytes as a field of its scope.
func fieldSize(s *tracepb.Span) int {
	return protowire.SizeTag(2) + protowire.SizeBytes(proto.Size(s))
}

// trim takes attributes from a span until it fits into limit bytes: content first, then others, the largest
// first, then events, the oldest first. What the span lost stands in its dropped counts. It reports whether
// anything was taken; a span that is too large even so goes on as it is, for the receiver to judge.
func trim(s *tracepb.Span, limit int) bool {
	before := fieldSize(s)
	for _, content := range []bool{true, false} {
		for fieldSize(s) > limit {
			largest, size := -1, 0
			for i, kv := range s.Attributes {
				if mapping.IsContent(kv.GetKey()) == content && proto.Size(kv) > size {
					largest, size = i, proto.Size(kv)
				}
			}
			if largest < 0 || !content && size < minTrim {
				break
			}
			s.Attributes = slices.Delete(slices.Clone(s.Attributes), largest, largest+1)
			s.DroppedAttributesCount++
		}
	}
	for fieldSize(s) > limit && len(s.Events) > 0 {
		s.Events = s.Events[1:]
		s.DroppedEventsCount++
	}
	return fieldSize(s) < before
}

// minTrim is the size in bytes from which an attribute that is no content may be trimmed: ids and states stay.
const minTrim = 1024
