package config

// This is the JSON Schema of what package filter checks beyond single values.

type schema = map[string]any

func required(keys ...string) schema { return schema{"required": keys} }

func both(schemas ...any) schema { return schema{"allOf": schemas} }

// never says that none of the keys is given.
func never(keys ...string) schema {
	list := make([]any, len(keys))
	for i, key := range keys {
		list[i] = required(key)
	}
	return schema{"not": schema{"anyOf": list}}
}

// when says what must be true where a key has one of some values.
func when(key string, values []string, then ...any) schema {
	return schema{
		"if":   schema{"required": []string{key}, "properties": schema{key: schema{"enum": values}}},
		"then": both(then...),
	}
}

// choosesSpans says that some condition is given.
func choosesSpans() schema {
	var either []any
	for _, key := range []string{"spans", "span_names", "attributes"} {
		either = append(either, schema{"required": []string{key}, "properties": schema{key: schema{"minItems": 1}}})
	}
	return schema{"anyOf": either}
}

func actionSchema() schema {
	source := []string{"value", "from_attribute", "default_value"}
	keyOrPattern := schema{"anyOf": []any{required("key"), required("pattern")}}
	return schema{
		"required": []string{"action"},
		"allOf": []any{
			when("action", []string{"insert", "update", "upsert", "INSERT", "UPDATE", "UPSERT"},
				required("key"),
				schema{"anyOf": []any{required("value"), required("from_attribute"), required("default_value")}},
				schema{"not": required("value", "from_attribute")},
				never("pattern", "converted_type")),
			when("action", []string{"delete", "hash", "DELETE", "HASH"}, keyOrPattern, never(append(source, "converted_type")...)),
			when("action", []string{"extract", "EXTRACT"}, required("key", "pattern"), never(append(source, "converted_type")...)),
			when("action", []string{"convert", "CONVERT"}, required("key", "converted_type"), never(append(source, "pattern")...)),
		},
	}
}

func redactionSchema() schema {
	isFalse := func(key string) schema {
		return schema{"required": []string{key}, "properties": schema{key: schema{"const": false}}}
	}
	return both(
		schema{"if": isFalse("allow_all_keys"), "then": schema{"required": []string{"allowed_keys"}, "properties": schema{"allowed_keys": schema{"minItems": 1}}}},
		when("hash_function", []string{"hmac-sha256", "hmac-sha512", "HMAC-SHA256", "HMAC-SHA512"}, required("hmac_key")),
		schema{"not": required("hash_function", "masking_string")},
		schema{"if": isFalse("secrets"), "then": schema{"properties": schema{"emails": schema{"const": false}}}},
	)
}
