package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

const (
	maxFile  = 1 << 20 // bytes of a configuration file
	maxDepth = 64      // nesting of its values
)

// fault is what is wrong at a place of the file.
type fault struct {
	line, column int
	key          string
	problem      string
	allowed      string
}

// parseYAML returns the root of the only document, nil if there is nothing in it. It accepts less than the
// library does: no aliases, merge keys, tags, duplicate keys or further documents.
func parseYAML(data []byte) (root *node, faults []fault) {
	defer func() { // the library is not maintained; none of its panics may reach the command
		if recover() != nil {
			root, faults = nil, []fault{{line: 1, column: 1, problem: "cannot be parsed as YAML"}}
		}
	}()
	if bad := checkText(data); bad != nil {
		return nil, []fault{*bad}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	if err := decoder.Decode(&first); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, []fault{syntaxFault(data, err)}
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, []fault{{line: max(second.Line, 1), column: max(second.Column, 1), problem: "a second document", allowed: "one document a file"}}
	} else if !errors.Is(err, io.EOF) {
		return nil, []fault{syntaxFault(data, err)}
	}
	if len(first.Content) == 0 {
		return nil, nil
	}
	c := converter{}
	root = c.convert(first.Content[0], "", 1)
	return root, c.faults
}

// checkText finds what the library would report without a place.
func checkText(data []byte) *fault {
	if len(data) > maxFile {
		return &fault{line: 1, column: 1, problem: "more than 1 MiB", allowed: "a file of at most 1 MiB"}
	}
	line, column := 1, 1
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return &fault{line: line, column: column, problem: "invalid UTF-8"}
		case r < 0x20 && r != '\t' && r != '\n' && r != '\r', r >= 0x7f && r < 0xa0 && r != 0x85, r == 0xfffe, r == 0xffff, r == 0xfeff && i > 0:
			return &fault{line: line, column: column, problem: fmt.Sprintf("the character U+%04X", r), allowed: "printable text"}
		}
		i += size
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
	}
	return nil
}

// syntaxFault puts an error of the library at its place. Its texts name lines but no columns.
func syntaxFault(data []byte, err error) fault {
	lines := strings.Split(string(data), "\n")
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	f := fault{line: 1}
	if number, rest, ok := strings.Cut(strings.TrimPrefix(text, "line "), ": "); ok && strings.HasPrefix(text, "line ") {
		if n, err := strconv.Atoi(number); err == nil {
			f.line, text = min(max(n, 1), len(lines)), rest
		}
	}
	f.column = 1 + len(lines[f.line-1]) - len(strings.TrimLeft(lines[f.line-1], " "))
	if anchor, ok := strings.CutPrefix(text, "unknown anchor '"); ok {
		anchor, _, _ = strings.Cut(anchor, "'")
		for i, line := range lines {
			if at := strings.Index(line, "*"+anchor); at >= 0 {
				f.line, f.column = i+1, at+1
				break
			}
		}
		f.problem, f.allowed = "an alias", noAliases
		return f
	}
	f.problem = "not valid YAML: " + text
	if strings.Contains(lines[f.line-1], "${") {
		f.allowed = "${env:NAME} in quotes where it is inside { } or [ ]"
	}
	return f
}

const noAliases = "values written out; aliases (*name) and merge keys (<<) are not supported"

type converter struct{ faults []fault }

func (c *converter) fault(n *yaml.Node, key, problem, allowed string) {
	c.faults = append(c.faults, fault{line: max(n.Line, 1), column: max(n.Column, 1), key: key, problem: problem, allowed: allowed})
}

// convert returns the node at path. It is broken if it cannot be used; then there is a fault.
func (c *converter) convert(y *yaml.Node, path string, depth int) *node {
	n := &node{kind: brokenNode, line: max(y.Line, 1), column: max(y.Column, 1)}
	if depth > maxDepth {
		c.fault(y, path, "nested too deeply", fmt.Sprintf("%d levels", maxDepth))
		return n
	}
	if y.Style&yaml.TaggedStyle != 0 && y.Tag != "!!str" {
		c.fault(y, path, "a tag", "values without tags (!!str alone is understood)")
		return n
	}
	switch y.Kind {
	case yaml.ScalarNode:
		n.kind, n.text, n.raw = scalarNode, y.Value, y.Value
		n.plain = y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) == 0
	case yaml.SequenceNode:
		n.kind = listNode
		for i, item := range y.Content {
			n.items = append(n.items, c.convert(item, index(path, i), depth+1))
		}
	case yaml.MappingNode:
		n.kind = mapNode
		c.pairs(n, y, path, depth)
	default:
		c.fault(y, path, "an alias", noAliases)
	}
	return n
}

func (c *converter) pairs(n *node, y *yaml.Node, path string, depth int) {
	first := make(map[string]int, len(y.Content)/2) // line of each key
	for i := 0; i+1 < len(y.Content); i += 2 {
		k := y.Content[i]
		switch {
		case k.Kind == yaml.AliasNode:
			c.fault(k, path, "an alias", noAliases)
			continue
		case k.Kind != yaml.ScalarNode || k.Style&yaml.TaggedStyle != 0 && k.Tag != "!!str":
			c.fault(k, path, "a key that is not plain text", "text")
			continue
		case k.Value == "<<" && k.Style == 0:
			c.fault(k, path, "a merge key", noAliases)
			continue
		}
		at := join(path, k.Value)
		if line, ok := first[k.Value]; ok {
			c.fault(k, at, fmt.Sprintf("given twice (first in line %d)", line), "each key once")
			continue
		}
		first[k.Value] = k.Line
		key := &node{line: max(k.Line, 1), column: max(k.Column, 1), text: k.Value}
		n.pairs = append(n.pairs, pair{key, c.convert(y.Content[i+1], at, depth+1)})
	}
}

// join appends a key to a path.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func index(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
