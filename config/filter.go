package config

import (
	"errors"
	"strings"

	"cbc-otel/filter"
)

// filter compiles the rules of the file, which is how they are checked. Without any the built-in secrets
// are masked all the same.
func (l *loader) filter() {
	v := l.doc.values
	l.s.Filter = toFilter(v["attributes"], v["redaction"], v["drop"])
	compiled, errs := filter.Compile(l.s.Filter)
	l.s.Rules = compiled
	for _, err := range errs {
		var bad *filter.Error
		if !errors.As(err, &bad) {
			bad = &filter.Error{Msg: err.Error()}
		}
		if !l.doc.follows(bad.Key) {
			at := l.doc.find(bad.Key)
			l.errs = append(l.errs, fault{line: at.line, column: at.column, key: bad.Key, problem: bad.Msg}.in(l.s.ConfigFile))
		}
	}
}

// follows reports whether an error at path is the consequence of a fault that was reported: one in the value
// itself, one that holds it or one below it, or that its key is missing where another key was unknown.
func (d *document) follows(path string) bool {
	_, present := d.places[path]
	for _, bad := range d.faulty {
		if bad == path || below(bad, path) || below(path, bad) {
			return true
		}
		if !present && parent(bad) == parent(path) {
			if _, known := d.places[bad]; !known {
				return true
			}
		}
	}
	return false
}

// below reports whether a path leads through another.
func below(path, top string) bool {
	rest, ok := strings.CutPrefix(path, top)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
}

// parent returns the path of the mapping or list a value is in.
func parent(path string) string {
	if at := strings.LastIndexAny(path, ".["); at >= 0 {
		return path[:at]
	}
	return ""
}

// find returns the place of a value, or of the nearest that holds it.
func (d *document) find(path string) place {
	for ; path != ""; path = parent(path) {
		if at, ok := d.places[path]; ok {
			return at
		}
	}
	return place{1, 1}
}
