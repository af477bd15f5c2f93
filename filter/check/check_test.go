package check

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/filter"
	"cbc-otel/internal/replay"
	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

var (
	update  = flag.Bool("update", false, "write the golden reports anew")
	yes, no = true, false
)

// policy compiles a policy with content.
func policy(t *testing.T, c filter.Config) Policy {
	t.Helper()
	rules, errs := filter.Compile(c)
	for _, err := range errs {
		t.Fatal(err)
	}
	return Policy{Config: c, Rules: rules, Mapping: mapping.Options{Content: true}}
}

// check plants the canaries of a policy.
func check(t *testing.T, p Policy) *Report {
	t.Helper()
	r, err := Run(p, func(mapping.Options) ([]mapping.Tree, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func actions(list ...filter.Action) filter.Config {
	return filter.Config{Attributes: []filter.AttributeRule{{Actions: list}}}
}

func TestNothingSurvives(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]filter.Config{
		"no rules":        {},
		"a label deleted": actions(filter.Action{Action: "delete", Key: mapping.KeyAgentName}),
		"a title hashed everywhere": actions(
			filter.Action{Action: "hash", Key: mapping.KeyPhaseTitle}, filter.Action{Action: "delete", Key: mapping.KeyWorkflowPhases}),
		"an allow list":       {Redaction: filter.Redaction{AllowedKeys: []string{mapping.KeyAgentTokens}}},
		"a title allowed":     {Redaction: filter.Redaction{AllowedKeys: []string{mapping.KeyPhaseTitle}}},
		"blocked keys":        {Redaction: filter.Redaction{BlockedKeyPatterns: []string{".*"}}},
		"blocked values":      {Redaction: filter.Redaction{BlockedValues: []string{`4[0-9]{15}`, `(?i)project[- ]aurora`, `^internal-\w+$`}}},
		"values with a hash":  {Redaction: filter.Redaction{BlockedValues: []string{`4[0-9]{15}`}, HashFunction: "sha256"}},
		"an ignored key":      {Redaction: filter.Redaction{BlockedValues: []string{`4[0-9]{15}`}, IgnoredKeys: []string{mapping.KeyAgentName}}},
		"an allowed value":    {Redaction: filter.Redaction{BlockedValues: []string{`[0-9]{16}`}, AllowedValues: []string{`0{16}`}}},
		"everything dropped":  {Drop: []filter.DropRule{{Spans: []string{"workflow"}}}},
		"a rule for some":     {Attributes: []filter.AttributeRule{{Include: &filter.Match{MatchType: "strict", Spans: []string{"agent"}}, Actions: []filter.Action{{Action: "delete", Key: mapping.KeyWorkflowName}}}}},
		"secrets turned off":  {Redaction: filter.Redaction{Secrets: &no}},
		"e-mail turned on":    {Redaction: filter.Redaction{Emails: true}},
		"a mask of one's own": {Redaction: filter.Redaction{MaskingString: "[gone]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := check(t, policy(t, c))
			for _, s := range r.Survivors {
				t.Error(s)
			}
			if r.Canaries < len(plots()) || len(r.Untested) > 0 {
				t.Errorf("%d canaries planted, not tested: %v", r.Canaries, r.Untested)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, o := range []mapping.Options{{}, {AgentNames: "none"}, {AgentNames: "type"}, {ErrorText: "type"}, {ErrorText: "type", AgentNames: "none", Content: true}} {
		p := policy(t, filter.Config{})
		p.Mapping = o
		for _, s := range check(t, p).Survivors {
			t.Errorf("%+v: %s", o, s)
		}
	}
}

func TestLeaksAreFound(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config filter.Config
		names  string
		want   []string
	}{
		"titles are also on the workflow": {
			actions(filter.Action{Action: "delete", Key: mapping.KeyPhaseTitle}), "",
			[]string{"text planted as phase title is left in workflow attribute cbc.workflow.phases, forbidden by the rules, which take it out of phase name and the rules, which take it out of phase attribute cbc.phase.title"},
		},
		"types are also names": {
			actions(filter.Action{Action: "delete", Key: mapping.KeyAgentType}), "type",
			[]string{"text planted as agent type is left in agent name, agent attribute gen_ai.agent.name, forbidden by the rules, which take it out of agent attribute cbc.agent.type"},
		},
		"a copy was made first": {
			actions(filter.Action{Action: "insert", Key: "who", FromAttribute: mapping.KeyAgentID}, filter.Action{Action: "delete", Key: mapping.KeyAgentID}), "",
			[]string{"text planted as agent id is left in agent attribute who, forbidden by the rules, which take it out of agent attribute cbc.agent.id"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := policy(t, tt.config)
			p.Mapping.AgentNames = tt.names
			var got []string
			for _, s := range check(t, p).Survivors {
				got = append(got, s.String())
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// With rules that do nothing, every canary gets out, from every kind of place: no check is a check that
// cannot fail.
func TestEveryPlotCanLeak(t *testing.T) {
	t.Parallel()
	nothing := policy(t, filter.Config{Redaction: filter.Redaction{Secrets: &no}})
	for name, c := range map[string]filter.Config{
		"secrets":        {Redaction: filter.Redaction{Secrets: &yes}},
		"blocked values": {Redaction: filter.Redaction{Secrets: &no, BlockedValues: []string{"4[0-9]{15}"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := nothing
			p.Config = c // what the file says, and the rules do not do
			r := check(t, p)
			for _, plot := range plots() {
				if name == "blocked values" && (plot.name == "task id") {
					continue // protected
				}
				if !slices.ContainsFunc(r.Survivors, func(s Survivor) bool { return s.Planted == plot.name }) {
					t.Errorf("nothing planted as %s was found", plot.name)
				}
			}
		})
	}
}

func TestSample(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		"4[0-9]{12}(?:[0-9]{3})?", "(5[1-5][0-9]{14})", ".*token.*", "^internal-", `\b\d{3}-\d{2}-\d{4}\b`, "(?i)secret|private",
		`[\w.]+@example\.com`, "x*y+z", "[^a-z]{6}", "a|b", "^$", `\s+`, "(?:[0-9]{1,3}\\.){3}[0-9]{1,3}", "[α-ω]{3,}",
	} {
		s, ok := sample(pattern)
		tooSmall := pattern == "a|b" || pattern == "^$" || pattern == `\s+`
		if ok == tooSmall || ok && !regexp.MustCompile(pattern).MatchString(s) {
			t.Errorf("%s: %q, %v", pattern, s, ok)
		}
	}
	r := check(t, policy(t, filter.Config{Redaction: filter.Redaction{BlockedValues: []string{"a|b"}}}))
	if len(r.Untested) != 1 || !strings.HasPrefix(r.Untested[0], "redaction.blocked_values[0]: ") {
		t.Errorf("not tested: %v", r.Untested)
	}
}

// The whole report, for a recorded stream and rules of each kind.
func TestReport(t *testing.T) {
	t.Parallel()
	p := policy(t, filter.Config{
		Attributes: []filter.AttributeRule{
			{Name: "role", Include: &filter.Match{MatchType: "strict", Spans: []string{"agent"}}, Actions: []filter.Action{
				{Action: "extract", Key: mapping.KeyAgentName, Pattern: "^(?P<role>[^:]+):"}, {Action: "hash", Key: mapping.KeyAgentID},
			}},
			{Name: "typo", Actions: []filter.Action{{Action: "delete", Key: "cbc.agent.tokenz"}}},
		},
		Redaction: filter.Redaction{BlockedValues: []string{"audit"}, BlockedKeyPatterns: []string{"model$"}},
		Drop:      []filter.DropRule{{Name: "no-writers", MatchType: "regexp", SpanNames: []string{"(?i)^phase w"}}},
	})
	p.Mapping = mapping.Options{}
	p.Resource = []mapping.Attribute{{Key: "service.name", Value: "claude"}, {Key: "team", Value: "audit"}}
	r, err := Run(p, capture(t, "01-success"))
	if err != nil {
		t.Fatal(err)
	}
	for name, style := range map[string]Style{"report.txt": {}, "report-hidden.txt": {HideRemoved: true, Changed: true}} {
		var b strings.Builder
		if err := r.Write(&b, style); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.String())
	}
}

func capture(t *testing.T, name string) Source {
	t.Helper()
	return func(o mapping.Options) ([]mapping.Tree, error) {
		c, err := testdata.Find(name)
		if err != nil {
			return nil, err
		}
		f, err := c.Open()
		if err != nil {
			return nil, err
		}
		defer f.Close()
		var trees []mapping.Tree
		_, err = replay.Run(f, replay.Options{Mapping: o, OnTree: func(t mapping.Tree) { trees = append(trees, t) }})
		return trees, err
	}
}

// golden compares with a file below testdata; -update writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}
