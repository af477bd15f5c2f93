package journal

import (
	"testing"
	"time"

	"cbc-otel/mapping"
)

// The span of a killed command lasts as long as what is known of its workflows.
func TestTheSpanOfTheCommandIsRecovered(t *testing.T) {
	t.Parallel()
	dir, w := create(t, DefaultMaxBytes)
	session := mapping.Tree{Spans: []mapping.Span{{
		Kind: mapping.SessionSpan, OTelKind: mapping.Client, TraceID: mapping.TraceID{1, 1}, SpanID: mapping.SpanID{9},
		Name: "claude", Start: at.Add(-time.Second), End: OpenEnd,
	}}}
	must(t, w.Append(Changed(at, session)))
	must(t, w.Append(Changed(at.Add(5*time.Second), tree(1, 2))))
	must(t, w.Append(Changed(at.Add(9*time.Second), tree(2, 2)))) // in another trace
	abandon(t, w)

	dead := open(t, dir)
	if len(dead) != 1 || len(dead[0].Trees) != 3 {
		t.Fatalf("recovered %+v", dead)
	}
	got := dead[0].Trees[0].Tree.Spans[0]
	if got.Kind != mapping.SessionSpan || got.OTelKind != mapping.Client || !got.End.Equal(at.Add(5*time.Second)) {
		t.Errorf("recovered %+v", got)
	}
}
