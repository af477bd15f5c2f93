package config

import (
	"bytes"
	"encoding/json"
	"maps"
)

// Schema returns the JSON Schema of the file, for editors. It describes the file as written, before
// variables are put in.
func Schema() []byte {
	root := fileShape().jsonSchema()
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["type"] = []string{"object", "null"} // a file may hold nothing but comments
	root["title"] = "Configuration of cbc-otel"
	root["$defs"] = map[string]any{
		"variable": map[string]any{
			"description": "text with ${env:NAME} or ${env:NAME:-default} in it",
			"type":        "string",
			"pattern":     `\$\{(env:)?[A-Za-z_][A-Za-z0-9_]*(:-[^}\n]*)?\}`,
		},
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		panic(err) // maps, slices and texts of our own
	}
	return out.Bytes()
}

// jsonSchema describes a value that is not empty.
func (s *shape) jsonSchema() map[string]any {
	var either []any
	if s.scalar != nil {
		either = append(either, s.schema, map[string]any{"$ref": "#/$defs/variable"})
	}
	if s.items != nil {
		list := map[string]any{"type": "array", "items": s.items.jsonSchema()}
		if s.some {
			list["minItems"] = 1
		}
		maps.Copy(list, s.listSchema)
		either = append(either, list)
	}
	if s.fields != nil {
		properties := make(map[string]any, len(s.fields))
		for _, f := range s.fields {
			value := f.get().jsonSchema()
			if !s.full {
				value = map[string]any{"anyOf": []any{value, map[string]any{"type": "null"}}}
			}
			if f.help != "" {
				value["description"] = f.help
			}
			properties[f.key] = value
		}
		either = append(either, map[string]any{"type": "object", "additionalProperties": false, "properties": properties})
	}
	if s.each != nil {
		value := map[string]any{"anyOf": []any{s.each.jsonSchema(), map[string]any{"type": "null"}}}
		either = append(either, map[string]any{"type": "object", "additionalProperties": value})
	}
	out := map[string]any{"anyOf": either}
	if len(either) == 1 {
		out = either[0].(map[string]any)
	}
	maps.Copy(out, s.extra)
	return out
}
