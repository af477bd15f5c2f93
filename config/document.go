package config

import (
	"strings"

	"cbc-otel/internal/say"
)

// document is the decoded file.
type document struct {
	root   *node
	values map[string]any   // by the name of the setting
	places map[string]place // of every value, by path
	empty  []string         // keys of the user without a value
	faulty []string         // paths of what was wrong
}

// parseDocument reads a file. Its values are checked one by one; what they mean together is for later.
func parseDocument(data []byte, getenv func(string) string) (document, []fault) {
	root, faults := parseYAML(data)
	if root == nil {
		return document{}, faults
	}
	d := decoder{faults: faults, places: make(map[string]place)}
	substituteAll(root, "", getenv, d.fault)
	doc := document{root: root, places: d.places, values: make(map[string]any)}
	if !root.isNull() {
		top, _ := d.decode(root, "", fileShape())
		sections, _ := top.(map[string]any)
		flatten(doc.values, "", sections)
	}
	doc.empty = d.empty
	for _, f := range d.faults {
		doc.faulty = append(doc.faulty, f.key)
	}
	return doc, d.faults
}

// flatten names the values of nested sections by their paths. Sections of package filter stay whole.
func flatten(out map[string]any, path string, section map[string]any) {
	for key, value := range section {
		at := join(path, key)
		switch v := value.(type) {
		case map[string]any:
			if at != "redaction" {
				flatten(out, at, v)
				continue
			}
			out[at] = v
		case []entry:
			if strings.HasSuffix(at, ".headers") {
				out[at] = toHeaders(v)
			} else {
				out[at] = toAttributes(v)
			}
		default:
			out[at] = v
		}
	}
}

func toHeaders(entries []entry) []Header {
	list := make([]Header, 0, len(entries))
	for _, e := range entries {
		value, _ := e.value.(Secret)
		list = append(list, Header{e.key, value})
	}
	return list
}

// fileShape builds the shape of the whole file from the table.
func fileShape() *shape {
	top := &shape{wants: "a mapping of settings"}
	for i := range table {
		if set := &table[i]; !set.OutsideFile {
			place := top
			keys := strings.Split(set.Name, ".")
			for _, key := range keys[:len(keys)-1] {
				f := find(place.fields, key)
				if f == nil {
					place.fields = append(place.fields, field{key: key, shape: &shape{}})
					f = &place.fields[len(place.fields)-1]
				}
				place = f.shape
			}
			place.fields = append(place.fields, field{key: keys[len(keys)-1], later: set.kind.shape, help: set.Help})
		}
	}
	nameKeys(top)
	return top
}

// nameKeys makes sections say which keys they have.
func nameKeys(s *shape) {
	if s.wants == "" {
		s.wants = "a mapping of " + strings.Join(s.keys(), ", ")
	}
	for _, f := range s.fields {
		if f.shape != nil {
			nameKeys(f.shape)
		}
	}
}

// in makes an error of a fault.
func (f fault) in(file string) Error {
	key := say.Clean(f.key)
	if runes := []rune(key); len(runes) > 120 {
		key = string(runes[:119]) + "…"
	}
	return Error{File: file, Line: f.line, Column: f.column, Key: key, Problem: f.problem, Allowed: f.allowed}
}
