package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"cbc-otel/internal/say"
)

// A kind is a type of settings: how its values are read from text (flags, variables) and from the file.
type kind interface {
	// parse reads a value. shown is what a message may show in place of text; empty: text itself.
	parse(text, shown string) (value any, problem string)
	shape() *shape
}

// quoted shows a value in a message.
func quoted(text, shown string) string {
	if shown != "" {
		text = shown
	}
	text = say.Clean(text)
	if runes := []rune(text); len(runes) > 48 {
		text = string(runes[:47]) + "…"
	}
	return strconv.Quote(text)
}

// textNode accepts text, and anything a variable held: a token of digits alone is still a token.
func textNode(n *node) (string, string) {
	if _, ok := n.value().(string); ok || n.substituted() {
		return n.text, ""
	}
	return "", "is " + n.is()
}

// parsed is a shape for text that k parses.
func parsed(k kind, wants string, schema map[string]any) *shape {
	return &shape{wants: wants, schema: schema, scalar: func(n *node) (any, string) {
		text, problem := textNode(n)
		if problem != "" {
			return nil, problem
		}
		return k.parse(text, n.shown)
	}}
}

// text is any text: a path, a name.
type text struct{}

func (text) parse(s, _ string) (any, string) { return s, "" }
func (k text) shape() *shape                 { return parsed(k, "text", map[string]any{"type": "string"}) }

// absolute is a path that does not depend on the working directory.
type absolute struct{}

func (absolute) parse(s, shown string) (any, string) {
	if !filepath.IsAbs(s) && !strings.HasPrefix(s, "~/") {
		return nil, quoted(s, shown) + " is not an absolute path"
	}
	return s, ""
}

func (k absolute) shape() *shape {
	return parsed(k, "an absolute path, or one that starts with ~/", map[string]any{"type": "string", "pattern": `^(~?/|[A-Za-z]:[\/])`})
}

// choice is one of some words.
type choice []string

func (k choice) parse(s, shown string) (any, string) {
	if slices.Contains(k, s) {
		return s, ""
	}
	return nil, quoted(s, shown) + " is not allowed"
}

func (k choice) shape() *shape {
	return parsed(k, oneOf(k), map[string]any{"enum": []string(k)})
}

// word is a choice whose words may also be in capitals, as the collector takes them.
type word []string

func (k word) parse(s, shown string) (any, string) {
	for _, w := range k {
		if s == w || s == strings.ToUpper(w) {
			return w, ""
		}
	}
	return nil, quoted(s, shown) + " is not allowed"
}

func (k word) shape() *shape {
	enum := slices.Clone([]string(k))
	for _, w := range k {
		enum = append(enum, strings.ToUpper(w))
	}
	return parsed(k, oneOf(k), map[string]any{"enum": enum})
}

func oneOf(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// choices is a list of some words, in the file a list or text with commas.
type choices struct {
	words []string
	alone string // may not stand with others
}

func (k choices) parse(s, shown string) (any, string) {
	var list []string
	for word := range strings.SplitSeq(s, ",") {
		word = strings.TrimSpace(word)
		if !slices.Contains(k.words, word) {
			return nil, quoted(word, shown) + " is not allowed"
		}
		list = append(list, word)
	}
	return k.check(list)
}

// check takes each word once.
func (k choices) check(list []string) (any, string) {
	if len(list) > 1 && slices.Contains(list, k.alone) {
		return nil, k.alone + " stands with others"
	}
	var once []string
	for _, word := range list {
		if !slices.Contains(once, word) {
			once = append(once, word)
		}
	}
	return once, ""
}

func (k choices) wants() string {
	others := slices.DeleteFunc(slices.Clone(k.words), func(w string) bool { return w == k.alone })
	return "a list of " + oneOf(others) + ", or " + k.alone + " alone"
}

func (k choices) shape() *shape {
	others := slices.DeleteFunc(slices.Clone(k.words), func(w string) bool { return w == k.alone })
	words := strings.Join(others, "|")
	s := parsed(k, k.wants(), map[string]any{"type": "string", "pattern": fmt.Sprintf(`^\s*(%s|(%s)\s*(,\s*(%s)\s*)*)\s*$`, k.alone, words, words)})
	s.items, s.some = choice(k.words).shape(), true
	s.list = func(items []any) (any, string) { return k.check(texts(items)) }
	s.listSchema = map[string]any{"not": map[string]any{"minItems": 2, "contains": map[string]any{"const": k.alone}}}
	return s
}

// boolean is true or false; in the environment also 1 and 0.
type boolean struct{}

const boolWanted = "true or false"

func (boolean) parse(s, shown string) (any, string) {
	switch strings.ToLower(s) {
	case "true", "1":
		return true, ""
	case "false", "0":
		return false, ""
	}
	return nil, quoted(s, shown) + " is not a boolean"
}

func (boolean) shape() *shape {
	return &shape{wants: boolWanted, schema: map[string]any{"type": "boolean"}, scalar: func(n *node) (any, string) {
		if b, ok := n.value().(bool); ok {
			return b, ""
		}
		if n.substituted() {
			return nil, quoted("", n.shown) + " is not a boolean"
		}
		return nil, "is " + n.is()
	}}
}
