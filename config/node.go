package config

import (
	"math"
	"strconv"
	"strings"
)

// node is a value of the file with its place. It knows nothing of the YAML library.
type node struct {
	kind         nodeKind
	line, column int // from 1
	text         string
	raw          string // scalar: its text before substitution
	plain        bool   // scalar: neither quoted nor a block, so its type is open
	shown        string // scalar after substitution: its text with ${env:NAME} where a value was put in
	items        []*node
	pairs        []pair
}

type nodeKind int

const (
	scalarNode nodeKind = iota
	listNode
	mapNode
	brokenNode // what is wrong with it was said already
)

type pair struct{ key, value *node }

// substituted reports whether the text holds the value of a variable, which no message may show.
func (n *node) substituted() bool { return n.shown != "" }

// is says what a value is, for messages.
func (n *node) is() string {
	if n.substituted() && n.isNull() {
		return "empty (" + quoted("", n.shown) + " holds nothing)"
	}
	switch n.kind {
	case listNode:
		return "a list"
	case mapNode:
		return "a mapping"
	}
	switch n.value().(type) {
	case nil:
		return "empty"
	case bool:
		return "a boolean"
	case int64:
		return "a whole number"
	case float64:
		return "a number"
	}
	return "text"
}

// isNull reports whether there is no value. A variable that holds nothing gives none, also in quotes.
func (n *node) isNull() bool {
	return n.kind == scalarNode && (n.value() == nil || n.substituted() && n.text == "")
}

// value resolves a scalar by the core schema of YAML 1.2: nil, bool, int64, float64 or string.
func (n *node) value() any {
	if !n.plain {
		return n.text
	}
	switch n.text {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	case ".nan", ".NaN", ".NAN":
		return math.NaN()
	}
	if i, ok := wholeNumber(n.text); ok {
		return i
	}
	if f, ok := realNumber(n.text); ok {
		return f
	}
	return n.text
}

func wholeNumber(text string) (int64, bool) {
	digits, base := text, 10
	switch {
	case strings.HasPrefix(text, "0x"):
		digits, base = text[2:], 16
	case strings.HasPrefix(text, "0o"):
		digits, base = text[2:], 8
	}
	if base != 10 && strings.HasPrefix(digits, "-") || strings.Contains(digits, "_") {
		return 0, false
	}
	i, err := strconv.ParseInt(digits, base, 64)
	return i, err == nil
}

func realNumber(text string) (float64, bool) {
	unsigned := strings.TrimLeft(text, "+-")
	switch unsigned {
	case ".inf", ".Inf", ".INF":
		if strings.HasPrefix(text, "-") {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	}
	if len(text)-len(unsigned) > 1 || strings.Trim(unsigned, "0123456789.eE+-") != "" || unsigned == "" || strings.ContainsAny(unsigned[:1], "eE+-") {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || math.IsInf(f, 0)
}
