package filter_test

import (
	"fmt"

	"cbc-otel/filter"
	"cbc-otel/mapping"
)

// Rules are compiled once and applied to each tree before it goes anywhere.
func Example() {
	rules, errs := filter.Compile(filter.Config{
		Attributes: []filter.AttributeRule{{
			Name:    "roles",
			Actions: []filter.Action{{Action: "extract", Key: mapping.KeyAgentName, Pattern: "^(?P<role>[^:]+):"}},
		}},
		Redaction: filter.Redaction{BlockedValues: []string{"(?i)aurora"}},
	})
	if len(errs) > 0 {
		fmt.Println(errs)
		return
	}
	tree := mapping.Tree{Spans: []mapping.Span{{
		Kind: mapping.AgentSpan, Name: "invoke_agent review:aurora",
		Attributes: []mapping.Attribute{{Key: mapping.KeyAgentName, Value: "review:aurora"}},
	}}}
	hits := rules.Apply(&tree)
	fmt.Println(tree.Spans[0].Name)
	for _, a := range tree.Spans[0].Attributes {
		fmt.Println(a.Key, "=", a.Value)
	}
	for _, h := range hits.Rules {
		fmt.Println(h.Rule, h.Count)
	}
	// Output:
	// invoke_agent review:****
	// gen_ai.agent.name = review:****
	// role = review
	// roles 1
	// redaction.blocked_values[0] 2
	// redaction.secrets 0
}
