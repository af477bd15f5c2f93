package config

import (
	"strings"
)

// substitute replaces the references to environment variables in a scalar by the rules of OpenTelemetry's
// declarative configuration: ${NAME}, ${env:NAME} and ${env:NAME:-default}; "$$" is a "$". What a variable
// holds is not looked at again. shown is the text for messages, with ${env:NAME} in place of values; it is
// empty if nothing was replaced. A problem is about a reference that is none.
func substitute(text string, getenv func(string) string) (value, shown, problem string) {
	if !strings.Contains(text, "$") {
		return text, "", ""
	}
	var out, show strings.Builder
	replaced := false
	for i, part := range strings.Split(text, "$$") {
		if i > 0 {
			out.WriteByte('$')
			show.WriteByte('$')
		}
		for {
			before, rest, ok := strings.Cut(part, "${")
			inner, after, closed := strings.Cut(rest, "}")
			if !ok || !closed {
				out.WriteString(part)
				show.WriteString(part)
				break
			}
			name, fallback, _ := strings.Cut(strings.TrimPrefix(inner, "env:"), ":-")
			if !isVariable(name) || strings.Contains(fallback, "\n") {
				return "", "", "${…} that is no reference to a variable"
			}
			held := getenv(name)
			if held == "" {
				held = fallback
			}
			out.WriteString(before + held)
			show.WriteString(before + "${env:" + name + "}")
			replaced = true
			part = after
		}
	}
	if !replaced {
		return out.String(), "", ""
	}
	return out.String(), show.String(), ""
}

const referencesAllowed = "${env:NAME} or ${env:NAME:-default}; a literal $ is written $$"

func isVariable(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// substituteAll does so for every scalar below n. Keys are left alone.
func substituteAll(n *node, path string, getenv func(string) string, fail func(n *node, path, problem, allowed string)) {
	switch n.kind {
	case scalarNode:
		value, shown, problem := substitute(n.text, getenv)
		if problem != "" {
			fail(n, path, problem, referencesAllowed)
			n.kind = brokenNode
			return
		}
		n.text, n.shown = value, shown
	case listNode:
		for i, item := range n.items {
			substituteAll(item, index(path, i), getenv, fail)
		}
	case mapNode:
		for _, p := range n.pairs {
			substituteAll(p.value, join(path, p.key.text), getenv, fail)
		}
	}
}
