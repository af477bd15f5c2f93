package insight

import (
	"math"
	"strconv"
	"time"

	"cbc-otel/mapping"
)

// maxPath bounds the agents that the attribute of a critical path lists; the last ones are kept.
const maxPath = 128

// Annotate adds what the tree says to the spans of the workflow and its phases. Agents are named by their indexes:
// their names may be nobody's business, which rules on the agents' own spans decide. Where no agent ran or waited
// nothing is added.
func Annotate(t *mapping.Tree) {
	if len(t.Spans) == 0 || t.Spans[0].Kind != mapping.WorkflowSpan {
		return
	}
	w := Of(*t)
	index := make(map[mapping.SpanID]int64, len(t.Spans))
	place := make(map[mapping.SpanID]int, len(w.Phases))
	for i := range t.Spans {
		switch s := &t.Spans[i]; s.Kind {
		case mapping.AgentSpan:
			if n, ok := s.Int(mapping.KeyAgentIndex); ok {
				index[s.SpanID] = n
			}
		case mapping.PhaseSpan:
			place[s.SpanID] = i
		}
	}
	root := &t.Spans[0]
	figures(root, w.Active, w.Queued, w.Concurrency, w.Efficiency)
	var path []string
	for _, id := range w.Critical[max(len(w.Critical)-maxPath, 0):] {
		if n, ok := index[id]; ok {
			path = append(path, strconv.FormatInt(n, 10))
		}
	}
	if len(path) > 0 {
		add(root, mapping.KeyInsightPath, path)
	}
	for _, p := range w.Phases {
		s := &t.Spans[place[p.SpanID]]
		figures(s, p.Active, p.Queued, p.Concurrency, p.Efficiency)
		if n, ok := index[p.Critical]; ok {
			add(s, mapping.KeyInsightCritical, n)
		}
		if n := len(p.Stragglers); n > 0 {
			add(s, mapping.KeyInsightStragglers, int64(n))
		}
	}
}

func figures(s *mapping.Span, active, queued time.Duration, concurrency int, efficiency float64) {
	if concurrency == 0 && queued == 0 {
		return
	}
	add(s, mapping.KeyInsightConcurrency, int64(concurrency))
	add(s, mapping.KeyInsightEfficiency, math.Round(efficiency*1000)/1000)
	add(s, mapping.KeyInsightActive, active.Milliseconds())
	add(s, mapping.KeyInsightQueued, queued.Milliseconds())
}

func add(s *mapping.Span, key string, value any) {
	s.Attributes = append(s.Attributes, mapping.Attribute{Key: key, Value: value})
}
