package filter

import "slices"

// Hits tells what the rules did.
type Hits struct {
	Rules   []RuleHits // every rule, also those without hits, in the order of the configuration
	Dropped int        // spans that a rule of drop removed, those below them included
	Failed  int        // spans (and attributes of the resource) removed because a rule could not be applied
}

// RuleHits is how often one rule changed something: an attribute, a name, a message, or a span it dropped.
// For the lists of what may stay it is how often something stayed because of it.
type RuleHits struct {
	Rule  string // its name, or its path: redaction.blocked_values[0]
	Count int
}

// Add adds other, which may be of other rules.
func (h *Hits) Add(other Hits) {
	h.Dropped += other.Dropped
	h.Failed += other.Failed
	if h.Rules == nil {
		h.Rules = slices.Clone(other.Rules)
		return
	}
	for i, o := range other.Rules {
		at := i
		if at >= len(h.Rules) || h.Rules[at].Rule != o.Rule {
			at = slices.IndexFunc(h.Rules, func(r RuleHits) bool { return r.Rule == o.Rule })
		}
		if at < 0 {
			h.Rules = append(h.Rules, o)
			continue
		}
		h.Rules[at].Count += o.Count
	}
}

// Never lists the rules without a hit.
func (h Hits) Never() []string {
	var names []string
	for _, r := range h.Rules {
		if r.Count == 0 {
			names = append(names, r.Rule)
		}
	}
	return names
}
