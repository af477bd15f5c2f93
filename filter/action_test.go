package filter

import (
	"testing"

	"cbc-otel/mapping"
)

// The expected values are those of the collector's attributes processor: its README for what each action
// does, its hasher for the bytes that are hashed, its type converter for what converts to what.
var actionTests = []struct {
	name    string
	actions []Action
	in      []mapping.Attribute
	want    []mapping.Attribute
	hits    int
}{
	{
		"insert where the key is absent", []Action{{Action: "insert", Key: "team", Value: "platform"}},
		attrs("a", "1"), attrs("a", "1", "team", "platform"), 1,
	},
	{
		"insert where it is present", []Action{{Action: "insert", Key: "team", Value: "platform"}},
		attrs("team", "other"), attrs("team", "other"), 0,
	},
	{
		"insert of each type", []Action{
			{Action: "insert", Key: "i", Value: 2245}, {Action: "insert", Key: "f", Value: 1.5},
			{Action: "insert", Key: "b", Value: true}, {Action: "insert", Key: "l", Value: []any{"x", "y"}},
		},
		nil, attrs("i", int64(2245), "f", 1.5, "b", true, "l", []string{"x", "y"}), 4,
	},
	{
		"insert from an attribute", []Action{{Action: "insert", Key: "copy", FromAttribute: "a"}},
		attrs("a", int64(7)), attrs("a", int64(7), "copy", int64(7)), 1,
	},
	{
		"insert from an absent attribute", []Action{{Action: "insert", Key: "copy", FromAttribute: "b"}},
		attrs("a", int64(7)), attrs("a", int64(7)), 0,
	},
	{
		"insert with a default", []Action{{Action: "insert", Key: "region", FromAttribute: "cloud.region", DefaultValue: "eu"}},
		attrs("a", "1"), attrs("a", "1", "region", "eu"), 1,
	},
	{
		"a default is not for a present attribute", []Action{{Action: "insert", Key: "r", FromAttribute: "a", DefaultValue: "eu"}},
		attrs("a", "1"), attrs("a", "1", "r", "1"), 1,
	},
	{
		"update where the key is present", []Action{{Action: "update", Key: "a", Value: "2"}},
		attrs("a", int64(1)), attrs("a", "2"), 1,
	},
	{
		"update where it is absent", []Action{{Action: "update", Key: "a", Value: "2"}},
		attrs("b", "1"), attrs("b", "1"), 0,
	},
	{
		"upsert", []Action{{Action: "UPSERT", Key: "a", Value: "2"}, {Action: "upsert", Key: "b", FromAttribute: "a"}},
		attrs("a", "1"), attrs("a", "2", "b", "2"), 2,
	},
	{
		"delete by key", []Action{{Action: "delete", Key: "a"}},
		attrs("a", "1", "ab", "2"), attrs("ab", "2"), 1,
	},
	{
		"delete by pattern", []Action{{Action: "delete", Pattern: `^cbc\.usage\.`}},
		attrs("cbc.usage.total_tokens", int64(1), "cbc.usage.duration_ms", int64(2), "x", "cbc.usage."), attrs("x", "cbc.usage."), 2,
	},
	{
		"delete by key and pattern", []Action{{Action: "delete", Key: "a", Pattern: "b$"}},
		attrs("a", "1", "xb", "2", "c", "3"), attrs("c", "3"), 2,
	},
	{
		"delete what is not there", []Action{{Action: "delete", Key: "z"}},
		attrs("a", "1"), attrs("a", "1"), 0,
	},
	{
		"hash a text", []Action{{Action: "hash", Key: "a"}},
		attrs("a", "foo"), attrs("a", "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"), 1,
	},
	{
		"hash the empty text", []Action{{Action: "hash", Key: "a"}},
		attrs("a", ""), attrs("a", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"), 1,
	},
	{ // int64 1, little endian: 0100000000000000
		"hash a number", []Action{{Action: "hash", Key: "a"}},
		attrs("a", int64(1)), attrs("a", "7c9fa136d4413fa6173637e883b6998d32e1d675f88cddff9dcbcf331820f4b8"), 1,
	},
	{ // float64 0: 0000000000000000
		"hash a fraction", []Action{{Action: "hash", Key: "a"}},
		attrs("a", 0.0), attrs("a", "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc"), 1,
	},
	{ // true: 01
		"hash a bool", []Action{{Action: "hash", Key: "a"}},
		attrs("a", true), attrs("a", "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a"), 1,
	},
	{
		"hash an array: the empty text", []Action{{Action: "hash", Key: "a"}},
		attrs("a", []string{"x"}), attrs("a", ""), 1,
	},
	{
		"hash by pattern", []Action{{Action: "hash", Pattern: "^a"}},
		attrs("a1", "foo", "b", "foo"), attrs("a1", "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae", "b", "foo"), 1,
	},
	{ // SHA-256 of the 64 letters of SHA-256("foo")
		"hash by key and pattern, twice", []Action{{Action: "hash", Key: "a", Pattern: "^a"}},
		attrs("a", "foo"), attrs("a", "505221025f9701f8a05cc22cbafeec897598b2924a9d665cbc10f0073d66da20"), 1,
	},
	{
		"extract", []Action{{Action: "extract", Key: mapping.KeyAgentName, Pattern: `^(?P<role>[^:]+):(?P<topic>.*)$`}},
		attrs(mapping.KeyAgentName, "gather:alpha", "role", "old"),
		attrs(mapping.KeyAgentName, "gather:alpha", "role", "gather", "topic", "alpha"), 1,
	},
	{
		"extract without a match", []Action{{Action: "extract", Key: "a", Pattern: `^(?P<role>[^:]+):`}},
		attrs("a", "nothing"), attrs("a", "nothing"), 0,
	},
	{
		"extract from a number", []Action{{Action: "extract", Key: "a", Pattern: `(?P<role>\d+)`}},
		attrs("a", int64(12)), attrs("a", int64(12)), 0,
	},
	{
		"extract a group that took no part", []Action{{Action: "extract", Key: "a", Pattern: `^(?P<x>x)?(?P<y>y)`}},
		attrs("a", "y"), attrs("a", "y", "x", "", "y", "y"), 1,
	},
	{
		"convert to int", []Action{
			{Action: "convert", Key: "s", ConvertedType: "int"}, {Action: "convert", Key: "f", ConvertedType: "int"},
			{Action: "convert", Key: "t", ConvertedType: "int"}, {Action: "convert", Key: "n", ConvertedType: "int"},
			{Action: "convert", Key: "bad", ConvertedType: "int"}, {Action: "convert", Key: "l", ConvertedType: "int"},
		},
		attrs("s", "-12", "f", 3.99, "t", true, "n", false, "bad", "1.5", "l", []string{"1"}),
		attrs("s", int64(-12), "f", int64(3), "t", int64(1), "n", int64(0), "bad", "1.5", "l", []string{"1"}), 4,
	},
	{
		"convert to double", []Action{
			{Action: "convert", Key: "s", ConvertedType: "double"}, {Action: "convert", Key: "i", ConvertedType: "double"},
			{Action: "convert", Key: "t", ConvertedType: "double"}, {Action: "convert", Key: "bad", ConvertedType: "double"},
		},
		attrs("s", "1e3", "i", int64(7), "t", true, "bad", "x"), attrs("s", 1000.0, "i", 7.0, "t", 1.0, "bad", "x"), 3,
	},
	{
		"convert to string", []Action{
			{Action: "convert", Key: "i", ConvertedType: "string"}, {Action: "convert", Key: "f", ConvertedType: "string"},
			{Action: "convert", Key: "t", ConvertedType: "string"}, {Action: "convert", Key: "l", ConvertedType: "string"},
			{Action: "convert", Key: "e", ConvertedType: "string"},
		},
		attrs("i", int64(7), "f", 0.1, "t", true, "l", []string{"<a>", "b\""}, "e", 1e21),
		attrs("i", "7", "f", "0.1", "t", "true", "l", `["<a>","b\""]`, "e", "1e+21"), 5,
	},
	{
		"actions run in their order", []Action{
			{Action: "insert", Key: "b", FromAttribute: "a"}, {Action: "delete", Key: "a"}, {Action: "hash", Key: "a"},
			{Action: "update", Key: "b", Value: "2"},
		},
		attrs("a", "1"), attrs("b", "2"), 3,
	},
}

func TestActions(t *testing.T) {
	t.Parallel()
	for _, tt := range actionTests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := compile(t, one(tt.actions...))
			before := attrs()
			before = append(before, tt.in...)
			tree := treeOf(tt.in)
			h := r.Apply(&tree)
			same(t, "attributes", tree.Spans[0].Attributes, tt.want)
			same(t, "hits", count(t, h, "attributes[0]"), tt.hits)
			same(t, "what was given", tt.in, before)
		})
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	all := []string{"invoke_workflow nightly", "phase gather", "invoke_agent gather:a", "phase write", "invoke_agent write:b", "invoke_agent"}
	for _, tt := range []struct {
		name             string
		include, exclude *Match
		want             []string
	}{
		{"no conditions", nil, nil, all},
		{"kind", &Match{MatchType: "strict", Spans: []string{"agent", "workflow"}}, nil, []string{all[0], all[2], all[4], all[5]}},
		{"strict name", &Match{MatchType: "strict", SpanNames: []string{"phase write", "phase"}}, nil, []string{all[3]}},
		{"regexp name", &Match{MatchType: "regexp", SpanNames: []string{"^invoke_agent gather:", "write"}}, nil, []string{all[2], all[3], all[4]}},
		{"a pattern matches anywhere", &Match{MatchType: "regexp", SpanNames: []string{"ather"}}, nil, []string{all[1], all[2]}},
		{"attribute present", &Match{MatchType: "strict", Attributes: []AttributeMatch{{Key: mapping.KeyErrorType}}}, nil, []string{all[4]}},
		{"attribute equal", &Match{MatchType: "strict", Attributes: []AttributeMatch{{Key: mapping.KeyAgentState, Value: "cached"}}}, nil, []string{all[5]}},
		{"attribute of another type", &Match{MatchType: "strict", Attributes: []AttributeMatch{{Key: mapping.KeyAgentIndex, Value: "1"}}}, nil, nil},
		{"number", &Match{MatchType: "strict", Attributes: []AttributeMatch{{Key: mapping.KeyAgentIndex, Value: 1}}}, nil, []string{all[2]}},
		{"pattern on a number", &Match{MatchType: "regexp", Attributes: []AttributeMatch{{Key: mapping.KeyAgentTokens, Value: "^1[0-9]{3}$"}}}, nil, []string{all[2]}},
		{"pattern on an array", &Match{MatchType: "regexp", Attributes: []AttributeMatch{{Key: mapping.KeyWorkflowPhases, Value: "^write$"}}}, nil, []string{all[0]}},
		{"all attributes", &Match{MatchType: "regexp", Attributes: []AttributeMatch{{Key: mapping.KeyAgentState, Value: "^error$"}, {Key: mapping.KeyErrorType, Value: "^5"}}}, nil, nil},
		{"all conditions", &Match{MatchType: "regexp", Spans: []string{"agent"}, SpanNames: []string{"write"}}, nil, []string{all[4]}},
		{"exclude", nil, &Match{MatchType: "strict", Spans: []string{"agent"}}, []string{all[0], all[1], all[3]}},
		{"include, then exclude", &Match{MatchType: "strict", Spans: []string{"agent"}}, &Match{MatchType: "regexp", SpanNames: []string{"gather"}}, []string{all[4], all[5]}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := compile(t, Config{Attributes: []AttributeRule{{
				Name: "mark", Include: tt.include, Exclude: tt.exclude,
				Actions: []Action{{Action: "insert", Key: "mark", Value: true}},
			}}})
			tree := family()
			h := r.Apply(&tree)
			var got []string
			for _, s := range tree.Spans {
				if a := s.Attributes[len(s.Attributes)-1]; a.Key == "mark" {
					got = append(got, s.Name)
				}
			}
			same(t, "marked spans", got, tt.want)
			same(t, "hits", count(t, h, "mark"), len(tt.want))
		})
	}
}
