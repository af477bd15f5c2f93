// Package filtering checks the policies in the folders beside it.
package filtering

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cbc-otel/config"
	"cbc-otel/filter"
	"cbc-otel/filter/check"
	"cbc-otel/internal/replay"
	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

var environment = map[string]string{"CBC_OTEL_HMAC_KEY": strings.Repeat("k", 32), "USER": "dev", "HOME": "/home/dev"}

func load(t *testing.T, name string) *config.Settings {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(name, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s, errs := config.Load(config.Options{
		Flags:    map[string]string{"config": "/" + name + ".yaml"},
		Getenv:   func(key string) string { return environment[key] },
		ReadFile: func(string) ([]byte, error) { return file, nil },
	})
	for _, err := range errs {
		t.Fatal(err)
	}
	return s
}

// source is all captures that have workflows.
func source() check.Source {
	return func(o mapping.Options) (trees []mapping.Tree, err error) {
		for _, c := range testdata.Captures() {
			if strings.HasSuffix(c.File, ".gz") {
				continue // large, and no other kinds of spans
			}
			in, err := c.Open()
			if err != nil {
				return nil, err
			}
			_, err = replay.Run(in, replay.Options{Mapping: o, OnTree: func(t mapping.Tree) { trees = append(trees, t) }})
			in.Close()
			if err != nil {
				return nil, err
			}
		}
		return trees, nil
	}
}

// left is what would leave under a policy: all its text, and the keys of its attributes.
func left(t *testing.T, s *config.Settings) (texts string, keys []string, report *check.Report) {
	t.Helper()
	p := check.Policy{
		Config: s.Filter, Rules: s.Rules,
		Mapping:  mapping.Options{Content: s.Content, AgentNames: s.AgentNames, ErrorText: s.ErrorText},
		Resource: []mapping.Attribute{{Key: "service.name", Value: "claude"}, {Key: "host.name", Value: "build-7.corp.example.com"}},
	}
	report, err := check.Run(p, source())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Survivors {
		t.Error(s)
	}
	for _, u := range report.Untested {
		t.Error(u)
	}
	var b strings.Builder
	line := func(c check.Change) {
		if c.Has {
			keys = append(keys, c.Place)
			b.WriteString(c.Place + "=" + sprint(c.After) + "\n")
		}
	}
	for _, tree := range report.Trees {
		for _, span := range tree.Spans {
			for _, c := range span.Lines {
				line(c)
			}
		}
	}
	for _, c := range report.Resource {
		line(c)
	}
	return b.String(), keys, report
}

func sprint(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case []string:
		return strings.Join(x, ",")
	}
	return ""
}

func never(t *testing.T, report *check.Report, want ...string) {
	t.Helper()
	for _, rule := range report.Never {
		if !slices.ContainsFunc(want, func(w string) bool { return strings.HasPrefix(rule, w) }) {
			t.Errorf("rule %s never matched", rule)
		}
	}
}

func TestPublicCI(t *testing.T) {
	t.Parallel()
	texts, keys, report := left(t, load(t, "public-ci"))
	for _, gone := range []string{"gen_ai.conversation.id", "cbc.tool_use.id", "cbc.agent.prompt_preview", "host.name"} {
		if slices.Contains(keys, gone) {
			t.Errorf("%s would leave", gone)
		}
	}
	for _, gone := range []string{"build-7", "toolu_", "=cached", "API Error"} {
		if strings.Contains(texts, gone) {
			t.Errorf("%q would leave", gone)
		}
	}
	for _, stays := range []string{"name=invoke_agent gather:alpha", "role=gather", "error.type="} {
		if !strings.Contains(texts, stays) {
			t.Errorf("%q is missing", stays)
		}
	}
	never(t, report, "redaction.")
}

func TestRegulated(t *testing.T) {
	t.Parallel()
	s := load(t, "regulated")
	texts, keys, report := left(t, s)
	allowed := append(slices.Clone(s.Filter.Redaction.AllowedKeys), "name", "event",
		mapping.KeyOperation, mapping.KeyErrorType, mapping.KeyTaskID, mapping.KeyPhaseIndex, mapping.KeyAgentIndex, mapping.KeyAgentState, mapping.KeyWorkflowStatus)
	for _, k := range keys {
		key := k[strings.LastIndexByte(k, ' ')+1:] // of an event's attribute
		if !slices.Contains(allowed, key) {
			t.Errorf("%s would leave", k)
		}
	}
	for _, gone := range []string{"gather", "alpha", "repo-audit", "Gather", "Bash("} {
		if strings.Contains(texts, gone) {
			t.Errorf("%q would leave", gone)
		}
	}
	sessions := 0
	for line := range strings.Lines(texts) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "gen_ai.conversation.id="); ok {
			if sessions++; len(id) != 64 {
				t.Errorf("session %s is no pseudonym", id)
			}
		}
	}
	if sessions == 0 {
		t.Error("no session would leave")
	}
	never(t, report, "redaction.")
}

// Without its key the policy does not load, and says what is missing.
func TestRegulatedWithoutKey(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("regulated/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, errs := config.Load(config.Options{
		Flags:    map[string]string{"config": "/regulated.yaml"},
		Getenv:   func(string) string { return "" },
		ReadFile: func(string) ([]byte, error) { return file, nil },
	})
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "redaction.hmac_key") {
		t.Errorf("errors: %v", errs)
	}
}

func TestDebug(t *testing.T) {
	t.Parallel()
	s := load(t, "debug")
	texts, _, report := left(t, s)
	for _, stays := range []string{"cbc.agent.prompt_preview=", "cbc.workflow.script=", "status.message=", "role=gather", "topic=alpha", "developer=dev"} {
		if !strings.Contains(texts, stays) {
			t.Errorf("%q is missing", stays)
		}
	}
	if !slices.Equal(s.Exporters, []string{"file"}) {
		t.Errorf("exporters %v", s.Exporters)
	}
	never(t, report, "redaction.secrets")
}

// The pages about filtering mention every rule key.
func TestKeysAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/filtering.md")
	if err != nil {
		t.Fatal(err)
	}
	_, errs := filter.Compile(filter.Config{Attributes: []filter.AttributeRule{{Actions: []filter.Action{{Action: "?"}}}}})
	actions := strings.TrimPrefix(errs[0].Error(), "attributes[0].actions[0].action: must be one of ")
	for _, key := range append(strings.Split(actions, ", "),
		"allow_all_keys", "allowed_keys", "ignored_keys", "ignored_key_patterns", "blocked_key_patterns", "blocked_values", "allowed_values",
		"redact_all_types", "hash_function", "hmac_key", "masking_string", "summary", "secrets", "emails",
		"match_type", "spans", "span_names", "attributes", "include", "exclude", "converted_type", "default_value", "from_attribute") {
		if !strings.Contains(string(page), "`"+key+"`") {
			t.Errorf("docs/filtering.md does not mention `%s`", key)
		}
	}
}
