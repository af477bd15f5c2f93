package cicontext

import (
	"regexp"
	"strings"
	"sync"

	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

// maxRunes is the length of a value, as that of an attribute of a span.
const maxRunes = 1024

// Attributes describes the CI job that the environment tells of; nil outside the known systems.
func Attributes(getenv func(string) string) []mapping.Attribute {
	for _, s := range systems {
		if on := getenv(s.Detect); on != "" && !strings.EqualFold(on, "false") {
			return s.attributes(getenv)
		}
	}
	return nil
}

func (s System) attributes(getenv func(string) string) (attrs []mapping.Attribute) {
	for _, row := range s.Rows {
		if value := row.value(getenv); value != "" {
			attrs = append(attrs, mapping.Attribute{Key: row.Key, Value: value})
		}
	}
	return attrs
}

func (r Row) value(getenv func(string) string) string {
	for _, template := range r.Templates {
		text, ok := expand(template, r.Form == URL || r.Form == Repo, getenv)
		if !ok {
			continue
		}
		if value := clip(say.Clean(r.Form.apply(text))); value != "" {
			return value
		}
	}
	return ""
}

func clip(text string) string {
	text = strings.TrimSpace(text)
	if runes := []rune(text); len(runes) > maxRunes {
		return string(runes[:maxRunes-1]) + "…"
	}
	return text
}

// Expressions are compiled when they are needed: most runs have no CI around them.
var variable = lazily(`\$\{([A-Z0-9_]+)(:\+([^}]*))?\}`)

func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// expand fills in the variables. It is not ok if one of them has no value.
func expand(template string, addresses bool, getenv func(string) string) (text string, ok bool) {
	ok = true
	text = variable().ReplaceAllStringFunc(template, func(found string) string {
		m := variable().FindStringSubmatch(found)
		value := strings.TrimSpace(getenv(m[1]))
		switch {
		case value == "":
			ok = false
		case m[2] != "":
			return m[3]
		case addresses:
			// What an address carries behind its path may be a credential, too.
			value, _, _ = strings.Cut(value, "?")
			value, _, _ = strings.Cut(value, "#")
		}
		return value
	})
	return text, ok
}

// Variables lists the names of the variables the templates of the system read, without duplicates.
func (s System) Variables() (names []string) {
	seen := map[string]bool{}
	for _, row := range s.Rows {
		for _, template := range row.Templates {
			for _, m := range variable().FindAllStringSubmatch(template, -1) {
				if !seen[m[1]] {
					seen[m[1]] = true
					names = append(names, m[1])
				}
			}
		}
	}
	return names
}
