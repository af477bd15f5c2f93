package filter

import (
	"strings"
	"testing"
)

func TestCompileErrors(t *testing.T) {
	t.Parallel()
	match := func(m Match) Config {
		return Config{Attributes: []AttributeRule{{Include: &m, Actions: []Action{{Action: "delete", Key: "a"}}}}}
	}
	const a0 = "attributes[0].actions[0]"
	const all = "insert, update, upsert, delete, hash, extract, convert"
	for _, tt := range []struct {
		name   string
		config Config
		want   []string
	}{
		{"no actions", Config{Attributes: []AttributeRule{{}}}, []string{"attributes[0].actions: required: at least one"}},
		{"no action", one(Action{Key: "a"}), []string{a0 + ".action: required: one of " + all}},
		{"unknown action", one(Action{Action: "drop", Key: "a"}), []string{a0 + ".action: must be one of " + all}},
		{"no key", one(Action{Action: "insert", Value: 1}), []string{a0 + ".key: required"}},
		{"neither key nor pattern", one(Action{Action: "hash"}), []string{a0 + ".key: key or pattern is required"}},
		{"no value", one(Action{Action: "upsert", Key: "a"}), []string{a0 + ": value, from_attribute or default_value is required"}},
		{"two values", one(Action{Action: "update", Key: "a", Value: 1, FromAttribute: "b"}), []string{a0 + ": value and from_attribute exclude each other"}},
		{"bad value", one(Action{Action: "update", Key: "a", Value: map[string]any{}}), []string{a0 + ".value: must be a string, number, bool or list of strings"}},
		{"bad list", one(Action{Action: "update", Key: "a", Value: []any{"x", 1}}), []string{a0 + ".value: a list can hold strings only"}},
		{"not UTF-8", one(Action{Action: "update", Key: "a", DefaultValue: "\xff"}), []string{a0 + ".default_value: not valid UTF-8"}},
		{"key not UTF-8", one(Action{Action: "update", Key: "\xff", FromAttribute: "\xff"}), []string{a0 + ".key: not valid UTF-8", a0 + ".from_attribute: not valid UTF-8"}},
		{"number too large", one(Action{Action: "update", Key: "a", Value: uint64(1 << 63)}), []string{a0 + ".value: a number over 9223372036854775807 does not fit"}},
		{
			"keys of other actions", one(Action{Action: "delete", Key: "a", Value: 1, FromAttribute: "b", DefaultValue: 2, ConvertedType: "int"}),
			[]string{a0 + ".value: not used by delete", a0 + ".from_attribute: not used by delete", a0 + ".default_value: not used by delete", a0 + ".converted_type: not used by delete"},
		},
		{"pattern of insert", one(Action{Action: "insert", Key: "a", Value: 1, Pattern: "x"}), []string{a0 + ".pattern: not used by insert"}},
		{"bad pattern", one(Action{Action: "delete", Pattern: "(quoted"}), []string{a0 + ".pattern: bad regular expression: missing closing ) (the syntax is Go's, RE2)"}},
		{"extract without pattern", one(Action{Action: "extract", Key: "a"}), []string{a0 + ".pattern: required by extract"}},
		{"extract without group", one(Action{Action: "extract", Key: "a", Pattern: "x"}), []string{a0 + ".pattern: must have a named group, as in (?P<role>[^:]+)"}},
		{"extract with a group without a name", one(Action{Action: "extract", Key: "a", Pattern: "(?P<a>x)(y)"}), []string{a0 + ".pattern: every group must have a name, as in (?P<role>[^:]+)"}},
		{"convert to nothing", one(Action{Action: "convert", Key: "a"}), []string{a0 + ".converted_type: must be int, double or string"}},
		{"a credential", one(Action{Action: "insert", Key: "a", Value: "Bearer abc123def456"}), []string{a0 + ".value: looks like a credential, and would leave with every span"}},
		{"a credential in a list", one(Action{Action: "insert", Key: "a", Value: []any{"x", aToken}}), []string{a0 + ".value: looks like a credential, and would leave with every span"}},

		{"no match type", match(Match{Spans: []string{"agent"}}), []string{"attributes[0].include.match_type: must be strict or regexp"}},
		{"empty match", match(Match{MatchType: "strict"}), []string{"attributes[0].include: at least one of spans, span_names and attributes must be given"}},
		{"unknown kind", match(Match{MatchType: "strict", Spans: []string{"agent", "task"}}), []string{"attributes[0].include.spans[1]: must be workflow, phase, agent, session, request, tool or native"}},
		{"bad name pattern", match(Match{MatchType: "regexp", SpanNames: []string{"a", "["}}), []string{"attributes[0].include.span_names[1]: bad regular expression: missing closing ] (the syntax is Go's, RE2)"}},
		{"attribute without key", match(Match{MatchType: "strict", Attributes: []AttributeMatch{{Value: 1}}}), []string{"attributes[0].include.attributes[0].key: required"}},
		{"pattern that is no string", match(Match{MatchType: "regexp", Attributes: []AttributeMatch{{Key: "a", Value: 1}}}), []string{"attributes[0].include.attributes[0].value: must be a string, as match_type is regexp"}},
		{"value of no type", match(Match{MatchType: "strict", Attributes: []AttributeMatch{{Key: "a", Value: map[string]any{}}}}), []string{"attributes[0].include.attributes[0].value: must be a string, number, bool or list of strings"}},

		{"nothing allowed", Config{Redaction: Redaction{AllowAllKeys: &no}}, []string{"redaction.allowed_keys: required when allow_all_keys is false: no attribute at all would be left"}},
		{"empty key", Config{Redaction: Redaction{AllowedKeys: []string{"a", ""}}}, []string{"redaction.allowed_keys[1]: an empty key"}},
		{"empty pattern", Config{Redaction: Redaction{BlockedValues: []string{""}}}, []string{"redaction.blocked_values[0]: an empty pattern would match everything"}},
		{
			"bad patterns", Config{Redaction: Redaction{IgnoredKeyPatterns: []string{"*"}, BlockedKeyPatterns: []string{"a{2,1}"}, AllowedValues: []string{`\8`}}},
			[]string{
				"redaction.ignored_key_patterns[0]: bad regular expression: missing argument to repetition operator (the syntax is Go's, RE2)",
				"redaction.blocked_key_patterns[0]: bad regular expression: invalid repeat count (the syntax is Go's, RE2)",
				"redaction.allowed_values[0]: bad regular expression: invalid escape sequence (the syntax is Go's, RE2)",
			},
		},
		{"unknown hash", Config{Redaction: Redaction{HashFunction: "crc"}}, []string{"redaction.hash_function: must be md5, sha1, sha3, sha256, hmac-sha256 or hmac-sha512"}},
		{"no key", Config{Redaction: Redaction{HashFunction: "hmac-sha256"}}, []string{"redaction.hmac_key: required by hmac-sha256"}},
		{"short key", Config{Redaction: Redaction{HashFunction: "hmac-sha512", HMACKey: "short"}}, []string{"redaction.hmac_key: must have at least 64 bytes for hmac-sha512, has 5"}},
		{"mask and hash", Config{Redaction: Redaction{HashFunction: "md5", MaskingString: "x"}}, []string{"redaction.masking_string: not used with hash_function"}},
		{"mask not UTF-8", Config{Redaction: Redaction{MaskingString: "\xff"}}, []string{"redaction.masking_string: not valid UTF-8"}},
		{"unknown summary", Config{Redaction: Redaction{Summary: "full"}}, []string{"redaction.summary: must be debug, info or silent"}},
		{"mail without secrets", Config{Redaction: Redaction{Secrets: &no, Emails: true}}, []string{"redaction.emails: needs secrets"}},

		{"drop everything", Config{Drop: []DropRule{{}}}, []string{"drop[0]: at least one of spans, span_names and attributes must be given"}},
		{"bad match type", Config{Drop: []DropRule{{MatchType: "glob", Spans: []string{"agent"}}}}, []string{"drop[0].match_type: must be strict or regexp"}},
		{
			"a name twice", Config{Attributes: []AttributeRule{{Name: "x", Actions: []Action{{Action: "delete", Key: "a"}}}}, Drop: []DropRule{{Name: "x", Spans: []string{"agent"}}}},
			[]string{"attributes[0].name: another rule has this name"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, errs := Compile(tt.config)
			var got []string
			for _, err := range errs {
				got = append(got, err.Error())
			}
			same(t, "errors", got, tt.want)
			if r != nil {
				t.Error("rules in spite of errors")
			}
			if strings.Contains(strings.Join(got, "\n"), "quoted") {
				t.Error("an error quotes the configuration")
			}
		})
	}
}

func TestRedactor(t *testing.T) {
	t.Parallel()
	card := "4111111111111111"
	d := compile(t, Config{Redaction: Redaction{BlockedValues: []string{"4[0-9]{15}"}}}).Redactor()
	long := strings.Repeat("x", 120) + " " + card
	for range 3 {
		same(t, "a secret", d.Redact("see "+aToken), "see ****")
		same(t, "a blocked value that a cut could split", d.Redact(long), strings.Repeat("x", 120)+" ****")
		same(t, "one that nobody cuts is left to Apply", d.Redact(card), card)
		same(t, "an innocent text", d.Redact("plain"), "plain")
	}
	h := d.Hits()
	same(t, "secrets, each text counted once", count(t, h, "redaction.secrets"), 1)
	same(t, "blocked values", count(t, h, "redaction.blocked_values[0]"), 1)

	d = compile(t, Config{Redaction: Redaction{Secrets: &no}}).Redactor()
	same(t, "secrets: false", d.Redact(aToken), aToken)
	same(t, "no secrets, no hits", len(d.Hits().Rules), 0)
}

func TestHits(t *testing.T) {
	t.Parallel()
	var total Hits
	total.Add(Hits{Rules: []RuleHits{{"a", 1}, {"b", 0}}, Dropped: 1})
	total.Add(Hits{Rules: []RuleHits{{"a", 2}, {"b", 0}}, Failed: 2})
	total.Add(Hits{Rules: []RuleHits{{"b", 0}, {"c", 4}, {"a", 1}}})
	same(t, "total", total, Hits{Rules: []RuleHits{{"a", 4}, {"b", 0}, {"c", 4}}, Dropped: 1, Failed: 2})
	same(t, "never", total.Never(), []string{"b"})
}
