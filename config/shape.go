package config

import (
	"strings"
)

// A shape says what a value of the file may be. The decoder, the JSON Schema and the reference tables all
// follow it, so they cannot disagree. One of scalar, items, fields and each is set (scalar and items for a
// value that may be either).
type shape struct {
	wants      string                                     // what is allowed, for messages
	scalar     func(n *node) (value any, problem string)  // a value that is no list or mapping
	schema     map[string]any                             // JSON Schema of scalar
	items      *shape                                     // list
	some       bool                                       // the list may not be empty
	list       func([]any) (value any, problem string)    // what becomes of its items; nil: []any as it is
	listSchema map[string]any                             // JSON Schema of the list, beside that of its items
	fields     []field                                    // mapping with these keys
	full       bool                                       // its keys may not be empty: an empty condition would match all
	each       *shape                                     // mapping with keys of the user
	key        func(key string) (problem, allowed string) // check of such a key
	extra      map[string]any                             // further JSON Schema, for what the values mean together
}

// field is a key of a mapping.
type field struct {
	key   string
	shape *shape
	help  string
	later func() *shape // makes the shape when it is needed first: most files have few of the keys
}

func (f *field) get() *shape {
	if f.shape == nil {
		f.shape = f.later()
	}
	return f.shape
}

// place is where a value stands in the file.
type place struct{ line, column int }

// decoder turns nodes into values: map[string]any, []any, or what scalar made. Empty values (null) are as
// absent. Everything wrong becomes a fault, and the value with it is left out.
type decoder struct {
	faults []fault
	places map[string]place // by path, of every value seen
	empty  []string         // paths of keys of the user that hold nothing
}

func (d *decoder) fault(n *node, path, problem, allowed string) {
	d.faults = append(d.faults, fault{line: n.line, column: n.column, key: path, problem: problem, allowed: allowed})
}

func (d *decoder) decode(n *node, path string, s *shape) (any, bool) {
	d.places[path] = place{n.line, n.column}
	switch {
	case n.kind == brokenNode:
	case n.kind == scalarNode && s.scalar != nil && !n.isNull():
		value, problem := s.scalar(n)
		if problem == "" {
			return value, true
		}
		d.fault(n, path, problem, s.wants)
	case n.kind == listNode && s.items != nil:
		return d.list(n, path, s)
	case n.kind == mapNode && s.fields != nil:
		return d.mapping(n, path, s), true
	case n.kind == mapNode && s.each != nil:
		return d.free(n, path, s), true
	default:
		d.fault(n, path, "is "+n.is(), s.wants)
	}
	return nil, false
}

func (d *decoder) list(n *node, path string, s *shape) (any, bool) {
	if s.some && len(n.items) == 0 {
		d.fault(n, path, "is an empty list", s.wants)
		return nil, false
	}
	values, faults := []any{}, len(d.faults)
	for i, item := range n.items {
		v, _ := d.decode(item, index(path, i), s.items)
		values = append(values, v) // nil for a faulty one keeps the place of those that follow
	}
	if s.list == nil {
		return values, true
	}
	value, problem := s.list(values)
	if problem != "" && len(d.faults) == faults {
		d.fault(n, path, problem, s.wants)
	}
	return value, problem == ""
}

func (d *decoder) mapping(n *node, path string, s *shape) map[string]any {
	values := make(map[string]any, len(n.pairs))
	for _, p := range n.pairs {
		at := join(path, p.key.text)
		f := find(s.fields, p.key.text)
		if f == nil {
			problem, allowed := unknownKey(p.key.text, s.fields)
			d.fault(p.key, at, problem, allowed)
			continue
		}
		if p.value.isNull() && !s.full {
			continue
		}
		if v, ok := d.decode(p.value, at, f.get()); ok {
			values[f.key] = v
		}
	}
	return values
}

func (d *decoder) free(n *node, path string, s *shape) []entry {
	var values []entry
	for _, p := range n.pairs {
		at := join(path, p.key.text)
		if problem, allowed := s.key(p.key.text); problem != "" {
			d.fault(p.key, at, problem, allowed)
			continue
		}
		if p.value.isNull() {
			d.places[at] = place{p.value.line, p.value.column}
			d.empty = append(d.empty, at)
			continue
		}
		if v, ok := d.decode(p.value, at, s.each); ok {
			values = append(values, entry{p.key.text, v})
		}
	}
	return values
}

// entry is a key of the user with its value, in the order of the file.
type entry struct {
	key   string
	value any
}

func (s *shape) keys() []string {
	keys := make([]string, len(s.fields))
	for i, f := range s.fields {
		keys[i] = f.key
	}
	return keys
}

func find(fields []field, key string) *field {
	for i := range fields {
		if fields[i].key == key {
			return &fields[i]
		}
	}
	return nil
}

// unknownKey says what is wrong with a key, with the likely one if there is one.
func unknownKey(key string, fields []field) (problem, allowed string) {
	keys := (&shape{fields: fields}).keys()
	likely := suggest(key, keys)
	for _, f := range fields {
		if find(f.get().fields, key) != nil {
			likely = f.key + "." + key
			break // the first section is the one people mean
		}
	}
	if likely != "" {
		return "unknown key, did you mean " + likely + "?", ""
	}
	return "unknown key", strings.Join(keys, ", ")
}
