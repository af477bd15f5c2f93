package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/filter"
)

func TestFilterSettings(t *testing.T) {
	t.Parallel()
	s, errs := loadText("full.yaml", read(t, "testdata/good/full.yaml"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	yes := true
	want := filter.Config{
		Attributes: []filter.AttributeRule{{
			Name: "team-tags",
			Include: &filter.Match{MatchType: "regexp", Spans: []string{"agent"}, SpanNames: []string{"^invoke_agent gather:"},
				Attributes: []filter.AttributeMatch{{Key: "cbc.agent.state", Value: "^error$"}}},
			Exclude: &filter.Match{MatchType: "strict", Spans: []string{"workflow"}},
			Actions: []filter.Action{
				{Action: "insert", Key: "team", Value: "platform"},
				{Action: "delete", Pattern: `^cbc\.usage\.`},
				{Action: "extract", Key: "gen_ai.agent.name", Pattern: "^(?P<role>[^:]+):"},
				{Action: "convert", Key: "cbc.agent.tokens", ConvertedType: "double"},
				{Action: "upsert", Key: "first", FromAttribute: "second", DefaultValue: int64(3)},
				{Action: "update", Key: "list", Value: []string{"a", "b"}},
				{Action: "hash", Key: "list"},
			},
		}},
		Redaction: filter.Redaction{
			AllowAllKeys: &yes, AllowedKeys: []string{}, IgnoredKeys: []string{"team"}, IgnoredKeyPatterns: []string{`^cbc\.`},
			BlockedKeyPatterns: []string{"(?i)customer"}, BlockedValues: []string{`\d{4}`}, AllowedValues: []string{"2026"},
			RedactAllTypes: true, HashFunction: "hmac-sha256", HMACKey: environ["HMAC_KEY"], Summary: "info", Secrets: &yes, Emails: true,
		},
		Drop: []filter.DropRule{
			{Name: "cached", Spans: []string{"agent"}, Attributes: []filter.AttributeMatch{{Key: "cbc.agent.state", Value: "cached"}}},
			{MatchType: "regexp", SpanNames: []string{"^phase .*"}},
		},
	}
	if diff := cmp.Diff(want, s.Filter); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Without a file the rules are there all the same: they mask the built-in secrets.
func TestRulesWithoutFile(t *testing.T) {
	t.Parallel()
	s, errs := load(nil, nil, "")
	if len(errs) > 0 || s.Rules == nil {
		t.Errorf("rules %v, errors %v", s.Rules, errs)
	}
}
