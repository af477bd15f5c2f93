package filter

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"strings"
	"testing"

	"cbc-otel/mapping"
)

var yes, no = true, false

// The expected values are those of the README of the collector's redaction processor, and for what it
// leaves open (order, hashes, summaries, other types than text) of its source.
var redactionTests = []struct {
	name     string
	rules    Redaction
	in, want []mapping.Attribute
	hits     map[string]int
}{
	{
		"allow_all_keys", Redaction{AllowAllKeys: &yes, AllowedKeys: []string{"a"}},
		attrs("a", "1", "b", "2"), attrs("a", "1", "b", "2"), nil,
	},
	{
		"allowed_keys", Redaction{AllowAllKeys: &no, AllowedKeys: []string{"group", "id"}},
		attrs("id", int64(5), "group", "temporary", "name", "placeholder"), attrs("id", int64(5), "group", "temporary"),
		map[string]int{"redaction.allow_all_keys": 1, "redaction.allowed_keys[0]": 1, "redaction.allowed_keys[1]": 1},
	},
	{
		"allowed_keys without allow_all_keys", Redaction{AllowedKeys: []string{"id"}},
		attrs("id", int64(5), "name", "x"), attrs("id", int64(5)), nil,
	},
	{
		"ignored_keys", Redaction{AllowedKeys: []string{"id"}, IgnoredKeys: []string{"safe"}, BlockedValues: []string{"4111"}},
		attrs("safe", "4111", "id", "4111"), attrs("safe", "4111", "id", "****"),
		map[string]int{"redaction.ignored_keys[0]": 1, "redaction.blocked_values[0]": 1},
	},
	{
		"ignored_key_patterns", Redaction{AllowedKeys: []string{"id"}, IgnoredKeyPatterns: []string{"^safe_"}, BlockedKeyPatterns: []string{"safe"}},
		attrs("safe_a", "x", "unsafe_a", "y"), attrs("safe_a", "x"),
		map[string]int{"redaction.ignored_key_patterns[0]": 1, "redaction.blocked_key_patterns[0]": 0},
	},
	{
		"blocked_key_patterns", Redaction{BlockedKeyPatterns: []string{".*token.*", "api_key"}},
		attrs("a.token.b", "abc", "my_api_key", "", "x", "y"), attrs("a.token.b", "****", "my_api_key", "****", "x", "y"),
		map[string]int{"redaction.blocked_key_patterns[0]": 1, "redaction.blocked_key_patterns[1]": 1},
	},
	{
		"blocked_key_patterns on other types", Redaction{BlockedKeyPatterns: []string{"token"}},
		attrs("token.n", int64(5), "token.b", true, "token.l", []string{"a", "b"}), attrs("token.n", "****", "token.b", "****", "token.l", "****"), nil,
	},
	{ // Visa and MasterCard patterns of the README
		"blocked_values", Redaction{BlockedValues: []string{"4[0-9]{12}(?:[0-9]{3})?", "(5[1-5][0-9]{14})"}},
		attrs("a", "placeholder 4111111111111111 and 5500000000000004.", "b", "plain"), attrs("a", "placeholder **** and ****.", "b", "plain"),
		map[string]int{"redaction.blocked_values[0]": 1, "redaction.blocked_values[1]": 1},
	},
	{
		"blocked_values in their order", Redaction{BlockedValues: []string{"ab", "abc"}},
		attrs("a", "abc"), attrs("a", "****c"), nil,
	},
	{
		"blocked_values leave numbers alone", Redaction{BlockedValues: []string{"4[0-9]{12}(?:[0-9]{3})?"}},
		attrs("a", int64(4111111111111111)), attrs("a", int64(4111111111111111)), nil,
	},
	{
		"redact_all_types", Redaction{BlockedValues: []string{"4[0-9]{12}(?:[0-9]{3})?", "^true$", `^1\.5$`}, RedactAllTypes: true},
		attrs("a", int64(4111111111111111), "b", true, "c", 1.5, "d", int64(7)), attrs("a", "****", "b", "****", "c", "****", "d", int64(7)), nil,
	},
	{
		"allowed_values", Redaction{BlockedValues: []string{"mycompany.com"}, AllowedValues: []string{"support.mycompany.com"}},
		attrs("a", "x@mycompany.com", "b", "y@support.mycompany.com"), attrs("a", "x@****", "b", "y@support.mycompany.com"),
		map[string]int{"redaction.allowed_values[0]": 1},
	},
	{
		"allowed_values go before blocked keys", Redaction{BlockedKeyPatterns: []string{"token"}, AllowedValues: []string{"^none$"}},
		attrs("token", "none", "token2", "some"), attrs("token", "none", "token2", "****"), nil,
	},
	{
		"masking_string", Redaction{BlockedValues: []string{"b+"}, BlockedKeyPatterns: []string{"^k"}, MaskingString: "[gone]"},
		attrs("a", "abbc", "k", "x"), attrs("a", "a[gone]c", "k", "[gone]"), nil,
	},
	{
		"md5", Redaction{BlockedValues: []string{"foo"}, HashFunction: "MD5"},
		attrs("a", "a foo"), attrs("a", "a acbd18db4cc2f85cedef654fccc4a4d8"), nil,
	},
	{
		"sha1", Redaction{BlockedValues: []string{"foo"}, HashFunction: "sha1"},
		attrs("a", "foo"), attrs("a", "0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33"), nil,
	},
	{
		"sha3", Redaction{BlockedKeyPatterns: []string{"a"}, HashFunction: "sha3"},
		attrs("a", "foo"), attrs("a", "76d3bc41c9f588f7fcd0d5bf4718f8f84b1c41b20882703100b9eb9413807c01"), nil,
	},
	{
		"sha256", Redaction{BlockedKeyPatterns: []string{"a"}, HashFunction: "sha256"},
		attrs("a", "foo"), attrs("a", "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"), nil,
	},
	{
		"hmac-sha256", Redaction{BlockedValues: []string{"foo"}, HashFunction: "hmac-sha256", HMACKey: strings.Repeat("k", 32)},
		attrs("a", "foo"), attrs("a", hmac256("foo")), nil,
	},
	{
		"hmac-sha512", Redaction{BlockedValues: []string{"foo"}, HashFunction: "hmac-sha512", HMACKey: strings.Repeat("k", 64)},
		attrs("a", "foo"), attrs("a", hmac512("foo")), nil,
	},
	{
		"summary info", Redaction{
			AllowedKeys: []string{"a", "b", "c"}, IgnoredKeys: []string{"i"}, BlockedValues: []string{"secret"},
			AllowedValues: []string{"^ok secret$"}, Summary: "info",
		},
		attrs("a", "secret", "b", "ok secret", "c", "plain", "i", "secret", "x", "1", "y", "2"),
		attrs("a", "****", "b", "ok secret", "c", "plain", "i", "secret",
			"redaction.redacted.count", int64(2), "redaction.masked.count", int64(1), "redaction.allowed.count", int64(1), "redaction.ignored.count", int64(1)), nil,
	},
	{
		"summary debug", Redaction{AllowedKeys: []string{"a", "b"}, BlockedValues: []string{"secret"}, Summary: "debug"},
		attrs("b", "secret", "z", "1", "a", "secret", "y", "2"),
		attrs("b", "****", "a", "****", "redaction.redacted.keys", "y,z", "redaction.redacted.count", int64(2),
			"redaction.masked.keys", "a,b", "redaction.masked.count", int64(2)), nil,
	},
	{
		"summary silent", Redaction{AllowedKeys: []string{"a"}, Summary: "silent"},
		attrs("a", "1", "b", "2"), attrs("a", "1"), nil,
	},
	{
		"a summary adds to one that is there", Redaction{AllowedKeys: []string{"a"}, Summary: "debug"},
		attrs("a", "1", "b", "2", "redaction.redacted.keys", "x,y", "redaction.redacted.count", int64(2), "redaction.allowed.count", int64(9)),
		attrs("a", "1", "redaction.redacted.keys", "b,x,y", "redaction.redacted.count", int64(3)), nil,
	},
	{
		"a silent pass does not let a summary through", Redaction{AllowedKeys: []string{"a"}},
		attrs("a", "1", "redaction.redacted.keys", "x"), attrs("a", "1"), nil,
	},
	{ // ours: the collector does not look into arrays
		"arrays", Redaction{BlockedValues: []string{"secret"}, AllowedValues: []string{"^fine"}},
		attrs("l", []string{"a", "secret b", "fine secret"}), attrs("l", []string{"a", "**** b", "fine secret"}), nil,
	},
	{
		"protected keys", Redaction{AllowedKeys: []string{"x"}, BlockedKeyPatterns: []string{".*"}, BlockedValues: []string{".+"}},
		attrs(mapping.KeyTaskID, "t1", mapping.KeyAgentIndex, int64(1), mapping.KeyErrorType, "429", "x", "1"),
		attrs(mapping.KeyTaskID, "t1", mapping.KeyAgentIndex, int64(1), mapping.KeyErrorType, "429", "x", "****"), nil,
	},
	{
		"a protected key that is named", Redaction{BlockedKeyPatterns: []string{`^cbc\.task\.id$`}},
		attrs(mapping.KeyTaskID, "t1", mapping.KeyErrorType, "429"), attrs(mapping.KeyTaskID, "****", mapping.KeyErrorType, "429"), nil,
	},
	{
		"a protected value that is no id", Redaction{BlockedValues: []string{"[a-z]+"}},
		attrs(mapping.KeyTaskID, "some text"), attrs(mapping.KeyTaskID, "**** ****"), nil,
	},
}

func hmac256(s string) string {
	h := hmac.New(sha256.New, []byte(strings.Repeat("k", 32)))
	h.Write([]byte(s))
	return hex.EncodeToString(h.Sum(nil))
}

func hmac512(s string) string {
	h := hmac.New(sha512.New, []byte(strings.Repeat("k", 64)))
	h.Write([]byte(s))
	return hex.EncodeToString(h.Sum(nil))
}

func TestRedaction(t *testing.T) {
	t.Parallel()
	for _, tt := range redactionTests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := compile(t, Config{Redaction: tt.rules})
			tree := treeOf(tt.in)
			h := r.Apply(&tree)
			same(t, "span", tree.Spans[0].Attributes, tt.want)
			for rule, n := range tt.hits {
				same(t, "hits of "+rule, count(t, h, rule), n)
			}
			kept, _ := r.ApplyResource(tt.in)
			same(t, "resource", kept, tt.want)
			event := treeOf(nil)
			event.Spans[0].Events = []mapping.SpanEvent{{Name: "e", Attributes: tt.in}}
			event.Spans[0].Links = []mapping.Link{{Attributes: tt.in}}
			r.Apply(&event)
			same(t, "event", event.Spans[0].Events[0].Attributes, tt.want)
			same(t, "link", event.Spans[0].Links[0].Attributes, tt.want)
		})
	}
}

func TestProtectedKeysAndActions(t *testing.T) {
	t.Parallel()
	r := compile(t, one(
		Action{Action: "delete", Pattern: ".*"},
		Action{Action: "hash", Pattern: "cbc"},
		Action{Action: "delete", Pattern: `^cbc\.agent\.state$`},
		Action{Action: "update", Key: mapping.KeyErrorType, Value: "other"},
	))
	tree := treeOf(attrs("a", "1", mapping.KeyAgentState, "done", mapping.KeyErrorType, "429", mapping.KeyPhaseIndex, int64(2)))
	r.Apply(&tree)
	same(t, "attributes", tree.Spans[0].Attributes, attrs(mapping.KeyErrorType, "other", mapping.KeyPhaseIndex, int64(2)))
}
