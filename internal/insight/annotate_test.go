package insight_test

import (
	"reflect"
	"strings"
	"testing"

	"cbc-otel/internal/insight"
	"cbc-otel/mapping"
)

func TestAnnotate(t *testing.T) {
	t.Parallel()
	tr := tree(6, an{phase: 1, to: 2}, an{phase: 1, to: 4, queue: 5}, an{phase: 2, from: 4, to: 5}, an{phase: 2, from: 4, to: 6})
	for i := range tr.Spans {
		if s := &tr.Spans[i]; s.Kind == mapping.AgentSpan {
			s.Attributes = append(s.Attributes, mapping.Attribute{Key: mapping.KeyAgentIndex, Value: int64(s.SpanID[2]) + 1})
		}
	}
	insight.Annotate(&tr)
	for i, want := range map[int]map[string]any{
		0: {mapping.KeyInsightConcurrency: int64(2), mapping.KeyInsightEfficiency: 0.75, mapping.KeyInsightActive: int64(9000), mapping.KeyInsightQueued: int64(5), mapping.KeyInsightPath: []string{"2", "4"}},
		1: {mapping.KeyInsightConcurrency: int64(2), mapping.KeyInsightEfficiency: 0.75, mapping.KeyInsightActive: int64(6000), mapping.KeyInsightQueued: int64(5), mapping.KeyInsightCritical: int64(2)},
		2: {},
	} {
		got := map[string]any{}
		for _, a := range tr.Spans[i].Attributes {
			if strings.HasPrefix(a.Key, "cbc.insight.") {
				got[a.Key] = a.Value
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("span %d: %v, want %v", i, got, want)
		}
	}
}

// Nothing is said of nothing, and an agent without an index has no place in the path.
func TestAnnotateNothing(t *testing.T) {
	t.Parallel()
	empty, alone, session := mapping.Tree{}, tree(5), mapping.Tree{Spans: []mapping.Span{{Kind: mapping.SessionSpan}}}
	insight.Annotate(&empty)
	insight.Annotate(&alone)
	insight.Annotate(&session)
	if len(empty.Spans) != 0 || len(alone.Spans[0].Attributes) != 0 || len(session.Spans[0].Attributes) != 0 {
		t.Errorf("%v %v %v", empty, alone, session)
	}
	some := tree(5, an{to: 5})
	insight.Annotate(&some)
	if some.Spans[0].Value(mapping.KeyInsightPath) != nil || some.Spans[0].Value(mapping.KeyInsightConcurrency) == nil {
		t.Errorf("%v", some.Spans[0].Attributes)
	}
}
