package config

// rules is a section of the file that package filter understands.
type rules struct{ section func() *shape }

func (rules) parse(string, string) (any, string) { return nil, "can be given in the file only" }
func (k rules) shape() *shape                    { return k.section() }

func listOf(items *shape, wants string) *shape { return &shape{wants: wants, items: items} }

var (
	spanKinds    = choice{"workflow", "phase", "agent"}
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
		{"key", attributeName(), "name of an attribute; required"},
		{"value", anyShape(false), "its value, with `match_type: regexp` a pattern for it; absent: any"},
	}}, "a list of {key, value}")
}

// spanFields choose spans; they are the same wherever spans are chosen.
func spanFields() []field {
	return []field{
		{"spans", listOf(spanKinds.shape(), "a list of "+oneOf(spanKinds)), "`workflow`, `phase`, `agent`: one of them"},
		{"span_names", listOf(text{}.shape(), "a list of span names or patterns"), "names, with `match_type: regexp` patterns: one of them"},
		{"attributes", attributeMatches(), "list of `{key, value}`: all of them"},
	}
}

func matchShape() *shape {
	return &shape{wants: "a mapping that chooses spans", full: true, extra: both(required("match_type"), choosesSpans()), fields: append([]field{
		{"match_type", matchTypes.shape(), "`strict` or `regexp`; required"},
	}, spanFields()...)}
}

func attributesShape() *shape {
	action := &shape{wants: "a mapping with action and key", full: true, extra: actionSchema(), fields: []field{
		{"action", actionNames.shape(), "`insert` (if absent), `update` (if present), `upsert` (always), `delete`, `hash`, `extract`, `convert`; required"},
		{"key", attributeName(), "name of the attribute"},
		{"value", anyShape(true), "new value"},
		{"from_attribute", attributeName(), "take the value of this attribute"},
		{"default_value", anyShape(true), "value when `from_attribute` is absent"},
		{"pattern", pattern(), "`delete`, `hash`: keys it matches; `extract`: named groups become attributes"},
		{"converted_type", typeNames.shape(), "`convert`: `int`, `double` or `string`"},
	}}
	actions := listOf(action, "a list of actions")
	actions.listSchema = map[string]any{"minItems": 1}
	return listOf(&shape{wants: "a mapping with actions", full: true, extra: required("actions"), fields: []field{
		{"name", text{}.shape(), "shown in the receipt"},
		{"include", matchShape(), "only these spans"},
		{"exclude", matchShape(), "not these spans"},
		{"actions", actions, "what to do, in this order; required"},
	}}, "a list of rules")
}

func redactionShape() *shape {
	keys := func() *shape { return listOf(attributeName(), "a list of attribute names") }
	return &shape{wants: "a mapping", full: true, extra: redactionSchema(), fields: []field{
		{"allow_all_keys", boolean{}.shape(), "`false`: only `allowed_keys` survive"},
		{"allowed_keys", keys(), "attributes that survive"},
		{"ignored_keys", keys(), "attributes that survive and are not looked at"},
		{"ignored_key_patterns", patterns(), "the same by pattern"},
		{"blocked_key_patterns", patterns(), "attributes whose values are masked whole"},
		{"blocked_values", patterns(), "the part of a value that matches is masked"},
		{"allowed_values", patterns(), "values that match are left alone by `blocked_values`"},
		{"redact_all_types", boolean{}.shape(), "look at numbers and booleans, too"},
		{"hash_function", hashNames.shape(), "put a hash in place of a value: `md5`, `sha1`, `sha3`, `sha256`, `hmac-sha256`, `hmac-sha512`"},
		{"hmac_key", text{}.shape(), "key of the hmac functions"},
		{"masking_string", text{}.shape(), "put this in place of a value; default `****`"},
		{"summary", summaryNames.shape(), "say on each span what was masked: `debug`, `info`, `silent`"},
		{"secrets", boolean{}.shape(), "mask well-known credential formats; default `true`"},
		{"emails", boolean{}.shape(), "e-mail addresses count as secrets"},
	}}
}

func dropShape() *shape {
	return listOf(&shape{wants: "a mapping that chooses spans", full: true, extra: choosesSpans(), fields: append([]field{
		{"name", text{}.shape(), "shown in the receipt"},
		{"match_type", matchTypes.shape(), "`strict` (default) or `regexp`"},
	}, spanFields()...)}, "a list of rules")
}
