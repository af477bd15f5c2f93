package filter

import (
	"testing"

	"cbc-otel/mapping"
)

func TestDrop(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		rule    DropRule
		want    []string
		hits    int
		dropped int
	}{
		{
			"an agent", DropRule{Spans: []string{"agent"}, Attributes: []AttributeMatch{{Key: mapping.KeyAgentState, Value: "cached"}}},
			[]string{"invoke_workflow nightly", "phase gather", "invoke_agent gather:a", "phase write", "invoke_agent write:b"}, 1, 1,
		},
		{
			"a phase with its agents", DropRule{MatchType: "regexp", SpanNames: []string{"^phase g"}},
			[]string{"invoke_workflow nightly", "phase write", "invoke_agent write:b", "invoke_agent"}, 1, 2,
		},
		{
			"the workflow with all of it", DropRule{Spans: []string{"workflow"}},
			nil, 1, 6,
		},
		{
			"nothing", DropRule{SpanNames: []string{"phase"}},
			spanNames(family()), 0, 0,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := compile(t, Config{Drop: []DropRule{tt.rule}})
			tree := family()
			h := r.Apply(&tree)
			same(t, "spans", spanNames(tree), tt.want)
			same(t, "hits", count(t, h, "drop[0]"), tt.hits)
			same(t, "dropped", h.Dropped, tt.dropped)
			same(t, "failed", h.Failed, 0)
		})
	}
}

// drop looks at spans as they are, not as the attribute rules leave them.
func TestDropGoesFirst(t *testing.T) {
	t.Parallel()
	c := one(Action{Action: "update", Key: mapping.KeyAgentState, Value: "error"})
	c.Drop = []DropRule{{Attributes: []AttributeMatch{{Key: mapping.KeyAgentState, Value: "error"}}}}
	tree := family()
	compile(t, c).Apply(&tree)
	same(t, "spans", len(tree.Spans), 5)
}

// What the rules cannot be applied to is removed with all below it, and counted.
func TestFailClosed(t *testing.T) {
	t.Parallel()
	without := func(names ...string) []string {
		var out []string
		for _, n := range spanNames(family()) {
			kept := true
			for _, gone := range names {
				kept = kept && n != gone
			}
			if kept {
				out = append(out, n)
			}
		}
		return out
	}
	for name, tt := range map[string]struct {
		config Config
		spoil  func(*Rules, *mapping.Tree)
		want   []string
		failed int
	}{
		"a value of a type nobody can look into": {
			Config{}, func(_ *Rules, t *mapping.Tree) {
				t.Spans[2].Attributes = append(t.Spans[2].Attributes, mapping.Attribute{Key: "m", Value: map[string]string{"k": "v"}})
			}, without("invoke_agent gather:a"), 1,
		},
		"the same in an event, of a phase": {
			Config{}, func(_ *Rules, t *mapping.Tree) {
				t.Spans[3].Events = []mapping.SpanEvent{{Attributes: attrs("x", []byte("v"))}}
			}, without("phase write", "invoke_agent write:b"), 2,
		},
		"the same in a link, of the workflow": {
			Config{}, func(_ *Rules, t *mapping.Tree) {
				t.Spans[0].Links = []mapping.Link{{Attributes: attrs("x", nil)}}
			}, nil, 6,
		},
		"a panic": {
			one(Action{Action: "delete", Key: "x"}), func(r *Rules, _ *mapping.Tree) {
				n := 0
				r.onSpan = func() {
					if n++; n == 3 {
						panic("a fault of ours")
					}
				}
			}, without("invoke_agent gather:a"), 1,
		},
		"a panic in drop": {
			Config{Drop: []DropRule{{Spans: []string{"phase"}, Attributes: []AttributeMatch{{Key: "x", Value: "y"}}}}},
			func(r *Rules, _ *mapping.Tree) { r.drop[0].matcher = nil }, nil, 6,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := compile(t, tt.config)
			tree := family()
			tt.spoil(r, &tree)
			h := r.Apply(&tree)
			same(t, "spans", spanNames(tree), tt.want)
			same(t, "failed", h.Failed, tt.failed)
			same(t, "dropped", h.Dropped, 0)
		})
	}
}

func TestFailClosedResource(t *testing.T) {
	t.Parallel()
	r := compile(t, Config{})
	kept, h := r.ApplyResource(attrs("a", "1", "b", []int64{1}, "c", "3"))
	same(t, "kept", kept, attrs("a", "1", "c", "3"))
	same(t, "failed", h.Failed, 1)

	r = compile(t, one(Action{Action: "delete", Key: "x"}))
	r.attributes[0].actions[0] = action{do: "extract", key: "a"} // no expression: it panics on a span
	tree := treeOf(attrs("a", "1"))
	h = r.Apply(&tree)
	same(t, "spans", len(tree.Spans), 0)
	same(t, "failed", h.Failed, 1)
}

func TestNoRules(t *testing.T) {
	t.Parallel()
	var r *Rules
	tree := family()
	h := r.Apply(&tree)
	same(t, "spans", len(tree.Spans), 0)
	same(t, "failed", h.Failed, 6)
	kept, h := r.ApplyResource(attrs("a", "1"))
	same(t, "resource", len(kept), 0)
	same(t, "failed", h.Failed, 1)
}

// A file that says nothing, and one that allows all, change nothing.
func TestAllowAll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{
		"empty": {}, "allow all": {Redaction: Redaction{AllowAllKeys: &yes}}, "no secrets": {Redaction: Redaction{Secrets: &no}},
	} {
		tree := family()
		h := compile(t, c).Apply(&tree)
		same(t, name, tree, family())
		same(t, name+": hits", h.Dropped+h.Failed, 0)
	}
	tree := treeOf(attrs("a", aToken))
	compile(t, Config{Redaction: Redaction{Secrets: &no}}).Apply(&tree)
	same(t, "secrets: false", tree.Spans[0].Attributes, attrs("a", aToken))
}
