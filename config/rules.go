package config

// rules is a section of the file that package filter understands.
type rules struct{ section func() *shape }

func (rules) parse(string, string) (any, string) { return nil, "can be given in the file only" }
func (k rules) shape() *shape                    { return k.section() }

func listOf(items *shape, wants string) *shape { return &shape{wants: wants, items: items} }

var (
	spanKinds    = choice{"workflow", "phase", "agent", "session", "request", "tool", "native"}
	matchTypes   = choice{"strict", "regexp"}
	actionNames  = word{"insert", "update", "upsert", "delete", "hash", "extract", "convert"}
	typeNames    = choice{"int", "double", "string"}
	hashNames    = word{"md5", "sha1", "sha3", "sha256", "hmac-sha256", "hmac-sha512"}
	summaryNames = word{"debug", "info", "silent"}
)

// pattern is a regular expression. It is compiled, and complained about, by package filter.
func pattern() *shape {
	s := text{}.shape()
	s.schema = map[string]any{"type": "string", "minLength": 1, "$comment": "RE2; the format regex would be another dialect"}
	s.wants = "a regular expression (RE2)"
	return s
}

func patterns() *shape { return listOf(pattern(), "a list of regular expressions") }

// attributeName is the key of an attribute.
func attributeName() *shape {
	s := text{}.shape()
	s.schema = map[string]any{"type": "string", "minLength": 1}
	s.wants = "the name of an attribute"
	return s
}

func attributeMatches() *shape {
	return listOf(&shape{wants: "a mapping with key and value", full: true, extra: required("key"), fields: []field{
		{key: "key", shape: attributeName(), help: "name of an attribute; required"},
		{key: "value", shape: anyShape(false), help: "its value, with `match_type: regexp` a pattern for it; absent: any"},
	}}, "a list of {key, value}")
}

// spanFields choose spans; they are the same wherever spans are chosen.
func spanFields() []field {
	return []field{
		{key: "spans", shape: listOf(spanKinds.shape(), "a list of "+oneOf(spanKinds)), help: "`workflow`, `phase`, `agent`, `session`, `request`, `tool`, `native`: one of them"},
		{key: "span_names", shape: listOf(text{}.shape(), "a list of span names or patterns"), help: "names, with `match_type: regexp` patterns: one of them"},
		{key: "attributes", shape: attributeMatches(), help: "list of `{key, value}`: all of them"},
	}
}

func matchShape() *shape {
	return &shape{wants: "a mapping that chooses spans", full: true, extra: both(required("match_type"), choosesSpans()), fields: append([]field{
		{key: "match_type", shape: matchTypes.shape(), help: "`strict` or `regexp`; required"},
	}, spanFields()...)}
}

func attributesShape() *shape {
	action := &shape{wants: "a mapping with action and key", full: true, extra: actionSchema(), fields: []field{
		{key: "action", shape: actionNames.shape(), help: "`insert` (if absent), `update` (if present), `upsert` (always), `delete`, `hash`, `extract`, `convert`; required"},
		{key: "key", shape: attributeName(), help: "name of the attribute"},
		{key: "value", shape: anyShape(true), help: "new value"},
		{key: "from_attribute", shape: attributeName(), help: "take the value of this attribute"},
		{key: "default_value", shape: anyShape(true), help: "value when `from_attribute` is absent"},
		{key: "pattern", shape: pattern(), help: "`delete`, `hash`: keys it matches; `extract`: named groups become attributes"},
		{key: "converted_type", shape: typeNames.shape(), help: "`convert`: `int`, `double` or `string`"},
	}}
	actions := listOf(action, "a list of actions")
	actions.listSchema = map[string]any{"minItems": 1}
	return listOf(&shape{wants: "a mapping with actions", full: true, extra: required("actions"), fields: []field{
		{key: "name", shape: text{}.shape(), help: "shown in the receipt"},
		{key: "include", shape: matchShape(), help: "only these spans"},
		{key: "exclude", shape: matchShape(), help: "not these spans"},
		{key: "actions", shape: actions, help: "what to do, in this order; required"},
	}}, "a list of rules")
}

func redactionShape() *shape {
	keys := func() *shape { return listOf(attributeName(), "a list of attribute names") }
	return &shape{wants: "a mapping", full: true, extra: redactionSchema(), fields: []field{
		{key: "allow_all_keys", shape: boolean{}.shape(), help: "`false`: only `allowed_keys` survive"},
		{key: "allowed_keys", shape: keys(), help: "attributes that survive"},
		{key: "ignored_keys", shape: keys(), help: "attributes that survive and are not looked at"},
		{key: "ignored_key_patterns", shape: patterns(), help: "the same by pattern"},
		{key: "blocked_key_patterns", shape: patterns(), help: "attributes whose values are masked whole"},
		{key: "blocked_values", shape: patterns(), help: "the part of a value that matches is masked"},
		{key: "allowed_values", shape: patterns(), help: "values that match are left alone by `blocked_values`"},
		{key: "redact_all_types", shape: boolean{}.shape(), help: "look at numbers and booleans, too"},
		{key: "hash_function", shape: hashNames.shape(), help: "put a hash in place of a value: `md5`, `sha1`, `sha3`, `sha256`, `hmac-sha256`, `hmac-sha512`"},
		{key: "hmac_key", shape: text{}.shape(), help: "key of the hmac functions"},
		{key: "masking_string", shape: text{}.shape(), help: "put this in place of a value; default `****`"},
		{key: "summary", shape: summaryNames.shape(), help: "say on each span what was masked: `debug`, `info`, `silent`"},
		{key: "secrets", shape: boolean{}.shape(), help: "mask well-known credential formats; default `true`"},
		{key: "emails", shape: boolean{}.shape(), help: "e-mail addresses count as secrets"},
	}}
}

func dropShape() *shape {
	return listOf(&shape{wants: "a mapping that chooses spans", full: true, extra: choosesSpans(), fields: append([]field{
		{key: "name", shape: text{}.shape(), help: "shown in the receipt"},
		{key: "match_type", shape: matchTypes.shape(), help: "`strict` (default) or `regexp`"},
	}, spanFields()...)}, "a list of rules")
}
