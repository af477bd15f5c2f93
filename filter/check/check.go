// Package check shows what filter rules do before anything is sent: what of the spans of recorded streams
// would leave, which rules did it, which never did anything, and whether a canary planted in every kind of
// place stays in where the rules forbid it to leave.
package check

import (
	"fmt"

	"cbc-otel/filter"
	"cbc-otel/mapping"
)

// Policy is what decides what leaves.
type Policy struct {
	Config   filter.Config
	Rules    *filter.Rules       // compiled from Config
	Mapping  mapping.Options     // as configured; Redact is set here
	Resource []mapping.Attribute // of the traces
}

// Source maps streams to trees, the same ones whenever it is called with the same options.
type Source func(mapping.Options) ([]mapping.Tree, error)

// Report is what [Run] found.
type Report struct {
	Trees     []TreeDiff
	Resource  []Change
	Hits      filter.Hits
	Never     []string // rules without a hit
	Survivors []Survivor
	Canaries  int      // planted
	Untested  []string // rules for which no canary could be made, with the reason

	entries map[string]string // what the lists of redaction hold, by path
}

// OK reports whether no canary got out.
func (r *Report) OK() bool { return len(r.Survivors) == 0 }

// Run maps the streams with and without the rules, compares, and plants the canaries.
func Run(p Policy, source Source) (*Report, error) {
	bare := p.Mapping
	bare.Redact = filter.Redact // what is shown may end up in a CI log
	before, err := source(bare)
	if err != nil {
		return nil, err
	}
	redactor := p.Rules.Redactor()
	ruled := p.Mapping
	ruled.Redact = redactor.Redact
	after, err := source(ruled)
	if err != nil {
		return nil, err
	}
	r := &Report{entries: entries(p.Config.Redaction)}
	for i := range after {
		r.Hits.Add(p.Rules.Apply(&after[i]))
	}
	r.Hits.Add(redactor.Hits())
	resource, hits := p.Rules.ApplyResource(p.Resource)
	r.Hits.Add(hits)
	r.Resource = diffList(p.Resource, resource)
	for i := range before {
		var left mapping.Tree
		if i < len(after) {
			left = after[i]
		}
		r.Trees = append(r.Trees, diffTree(before[i], left))
	}
	r.Never = r.Hits.Never()
	r.canaries(p)
	return r, nil
}

// entries are the elements of the lists of redaction, by the path that is their name as a rule.
func entries(r filter.Redaction) map[string]string {
	all := map[string]string{}
	for list, elements := range map[string][]string{
		"allowed_keys": r.AllowedKeys, "ignored_keys": r.IgnoredKeys, "ignored_key_patterns": r.IgnoredKeyPatterns,
		"blocked_key_patterns": r.BlockedKeyPatterns, "blocked_values": r.BlockedValues, "allowed_values": r.AllowedValues,
	} {
		for i, e := range elements {
			all[fmt.Sprintf("redaction.%s[%d]", list, i)] = e
		}
	}
	return all
}
