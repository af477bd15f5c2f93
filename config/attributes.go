package config

import (
	"math"

	"cbc-otel/mapping"
)

// anyShape is a value of an attribute: text, a number or a boolean; with lists also a list of texts.
func anyShape(lists bool) *shape {
	s := &shape{
		wants:  "text, a number or a boolean",
		schema: map[string]any{"type": []string{"string", "number", "boolean"}},
		scalar: func(n *node) (any, string) {
			v := n.value()
			if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
				return nil, "is not a finite number"
			}
			return v, ""
		},
	}
	if lists {
		s.wants = "text, a number, a boolean or a list of texts"
		s.items = text{}.shape()
	}
	return s
}

// resourceAttributes are keys of the user with their values.
type resourceAttributes struct{}

func (resourceAttributes) parse(string, string) (any, string) {
	return nil, "can be given in the file only"
}

func (resourceAttributes) shape() *shape {
	return &shape{
		wants: "a mapping of attribute names to values",
		each:  anyShape(true),
		extra: map[string]any{"propertyNames": map[string]any{"minLength": 1, "not": map[string]any{"const": "service.name"}}},
		key: func(key string) (string, string) {
			switch key {
			case "":
				return "is an empty name", "the name of an attribute"
			case "service.name":
				return "has a key of its own", "service_name"
			}
			return "", ""
		},
	}
}

// toAttributes turns the decoded mapping into attributes.
func toAttributes(entries []entry) []mapping.Attribute {
	var list []mapping.Attribute
	for _, e := range entries {
		list = append(list, mapping.Attribute{Key: e.key, Value: toAttributeValue(e.value)})
	}
	return list
}

// toAttributeValue makes a []string of a list; other values are as they are.
func toAttributeValue(v any) any {
	if items, ok := v.([]any); ok {
		return texts(items)
	}
	return v
}

// texts has an empty text for what was faulty, to keep the place of what follows.
func texts(items []any) []string {
	list := make([]string, len(items))
	for i, item := range items {
		list[i], _ = item.(string)
	}
	return list
}
