package native

import (
	"maps"
	"math"
	"slices"

	"cbc-otel/mapping"
)

// sum is what the telemetry tells of an agent, a phase or a workflow.
type sum struct {
	Usage
	requests, failed, tools int64
	partial                 bool
}

func (a *sum) add(b sum) {
	a.Usage.add(b.Usage)
	a.requests += b.requests
	a.failed += b.failed
	a.tools += b.tools
	a.partial = a.partial || b.partial
}

// sumUp returns the attributes to add to each span of the tree. A request counts once, however often it is told of:
// attempts within it are the CLI's own, and one that failed has no tokens.
func sumUp(t mapping.Tree, below map[int][]*Span, costs map[string]Cost, lossy bool) [][]mapping.Attribute {
	sums := make([]sum, len(t.Spans))
	place := make(map[mapping.SpanID]int, len(t.Spans))
	told := map[string]bool{} // requests
	for i := range t.Spans {
		place[t.Spans[i].SpanID] = i
		sums[i] = sumOf(below[i], costs, told)
	}
	for i := range t.Spans {
		if t.Spans[i].Kind == mapping.AgentSpan {
			sums[i].partial = missed(&t.Spans[i], sums[i]) || lossy && sums[i].requests > 0
		}
	}
	out := make([][]mapping.Attribute, len(t.Spans))
	// Children come after their parents, so from the last to the first each sum is complete when it is handed up.
	for i := len(t.Spans) - 1; i > 0; i-- {
		s := &t.Spans[i]
		out[i] = sums[i].attributes(s.Kind == mapping.AgentSpan)
		if up, ok := place[s.ParentID]; ok && up < i {
			sums[up].add(sums[i])
		}
	}
	if len(t.Spans) > 0 {
		run := t.Spans[0].Text(mapping.KeyRunID)
		for _, id := range slices.Sorted(maps.Keys(costs)) { // of requests whose spans were lost
			c := costs[id]
			if run != "" && c.RunID == run && !told[c.RequestID] {
				sums[0].add(sum{Usage: Usage{Cost: c.USD, HasCost: true}, partial: true})
			}
		}
		out[0] = sums[0].attributes(false)
	}
	return out
}

// sumOf adds up the spans of one owner.
func sumOf(spans []*Span, costs map[string]Cost, told map[string]bool) (out sum) {
	for _, s := range spans {
		switch {
		case s.Tool:
			out.tools++
		case s.Request:
			out.requests++
			if s.Failed {
				out.failed++
			}
			if s.RequestID != "" {
				if told[s.RequestID] {
					continue
				}
				told[s.RequestID] = true
				if c, ok := costs[s.RequestID]; ok {
					out.Cost += c.USD
					out.HasCost = true
				}
			}
			out.Usage.add(s.Usage)
		}
	}
	return out
}

// missed reports whether the telemetry saw less of an agent than the stream: it was cut short, or did what nothing
// was told of.
func missed(a *mapping.Span, s sum) bool {
	started, _ := a.Value(mapping.KeyAgentStarted).(bool)
	if !started {
		return false
	}
	switch a.Text(mapping.KeyAgentState) {
	case "cached":
		return false
	case "cancelled", "unfinished":
		return true
	}
	tokens, _ := a.Int(mapping.KeyAgentTokens)
	tools, _ := a.Int(mapping.KeyAgentToolCalls)
	return tokens > 0 && !s.Known || tools > s.tools
}

// attributes are those of a sum. Nothing is said where nothing was seen.
func (s sum) attributes(agent bool) []mapping.Attribute {
	var list []mapping.Attribute
	add := func(key string, value any) { list = append(list, mapping.Attribute{Key: key, Value: value}) }
	if s.Known {
		keys := [4]string{mapping.KeyAllInput, mapping.KeyAllOutput, mapping.KeyAllRead, mapping.KeyAllWrite}
		if agent {
			keys = [4]string{mapping.KeyInput, mapping.KeyOutput, mapping.KeyCacheRead, mapping.KeyCacheWrite}
		}
		for i, n := range []int64{s.Input, s.Output, s.CacheRead, s.CacheWrite} {
			add(keys[i], n)
		}
	}
	if s.HasCost {
		add(mapping.KeyCost, math.Round(s.Cost*1e9)/1e9) // sums of fractions
	}
	if s.requests > 0 {
		add(mapping.KeyRequests, s.requests)
		if s.failed > 0 {
			add(mapping.KeyFailed, s.failed)
		}
	}
	if s.tools > 0 {
		add(mapping.KeyToolCalls, s.tools)
	}
	if s.partial {
		add(mapping.KeyUsagePartial, true)
	}
	return list
}
