package config

import "cbc-otel/filter"

// toFilter turns the decoded sections into the structs of package filter. What was faulty is left out, and
// then nothing is exported.
func toFilter(attributes, redaction, drop any) filter.Config {
	var c filter.Config
	for _, m := range mappings(attributes) {
		r := filter.AttributeRule{Name: m.text("name"), Include: toMatch(m["include"]), Exclude: toMatch(m["exclude"])}
		for _, a := range mappings(m["actions"]) {
			r.Actions = append(r.Actions, filter.Action{
				Action:        a.text("action"),
				Key:           a.text("key"),
				Value:         toAttributeValue(a["value"]),
				FromAttribute: a.text("from_attribute"),
				DefaultValue:  toAttributeValue(a["default_value"]),
				Pattern:       a.text("pattern"),
				ConvertedType: a.text("converted_type"),
			})
		}
		c.Attributes = append(c.Attributes, r)
	}
	if m, ok := redaction.(map[string]any); ok {
		c.Redaction = toRedaction(m)
	}
	for _, m := range mappings(drop) {
		c.Drop = append(c.Drop, filter.DropRule{
			Name:       m.text("name"),
			MatchType:  m.text("match_type"),
			Spans:      m.texts("spans"),
			SpanNames:  m.texts("span_names"),
			Attributes: toAttributeMatches(m["attributes"]),
		})
	}
	return c
}

func toRedaction(m object) filter.Redaction {
	return filter.Redaction{
		AllowAllKeys:       m.optional("allow_all_keys"),
		AllowedKeys:        m.texts("allowed_keys"),
		IgnoredKeys:        m.texts("ignored_keys"),
		IgnoredKeyPatterns: m.texts("ignored_key_patterns"),
		BlockedKeyPatterns: m.texts("blocked_key_patterns"),
		BlockedValues:      m.texts("blocked_values"),
		AllowedValues:      m.texts("allowed_values"),
		RedactAllTypes:     m.yes("redact_all_types"),
		HashFunction:       m.text("hash_function"),
		HMACKey:            m.text("hmac_key"),
		MaskingString:      m.text("masking_string"),
		Summary:            m.text("summary"),
		Secrets:            m.optional("secrets"),
		Emails:             m.yes("emails"),
	}
}

func toMatch(v any) *filter.Match {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	o := object(m)
	return &filter.Match{
		MatchType:  o.text("match_type"),
		Spans:      o.texts("spans"),
		SpanNames:  o.texts("span_names"),
		Attributes: toAttributeMatches(m["attributes"]),
	}
}

func toAttributeMatches(v any) []filter.AttributeMatch {
	var list []filter.AttributeMatch
	for _, m := range mappings(v) {
		list = append(list, filter.AttributeMatch{Key: m.text("key"), Value: m["value"]})
	}
	return list
}

// object is a decoded mapping. What is absent is a zero value.
type object map[string]any

func (o object) text(key string) string { s, _ := o[key].(string); return s }
func (o object) yes(key string) bool    { b, _ := o[key].(bool); return b }

func (o object) texts(key string) []string {
	items, ok := o[key].([]any)
	if !ok {
		return nil
	}
	return texts(items)
}

func (o object) optional(key string) *bool {
	if b, ok := o[key].(bool); ok {
		return &b
	}
	return nil
}

// mappings returns a decoded list of mappings; a faulty one is empty, to keep the place of those after it.
func mappings(v any) []object {
	items, _ := v.([]any)
	list := make([]object, len(items))
	for i, item := range items {
		m, _ := item.(map[string]any)
		list[i] = m
	}
	return list
}
