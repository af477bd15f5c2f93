package config

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// duration is a time span with units. Those that may not be zero are positive.
type duration struct{ positive bool }

const maxDuration = 100 * 365 * 24 * time.Hour

var units = []struct {
	name string
	unit time.Duration
}{
	{"ms", time.Millisecond}, {"us", time.Microsecond}, {"ns", time.Nanosecond},
	{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second},
}

func (k duration) parse(s, shown string) (any, string) {
	d, ok := parseDuration(s)
	if !ok || k.positive && d == 0 {
		return nil, quoted(s, shown) + " is not a duration"
	}
	return d, ""
}

// parseDuration reads whole or decimal numbers with units, as in 1m30s, or 0.
func parseDuration(s string) (time.Duration, bool) {
	if s == "0" {
		return 0, true
	}
	var sum time.Duration
	for rest := s; ; {
		number := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789."))]
		rest = rest[len(number):]
		at := slices.IndexFunc(units, func(u struct {
			name string
			unit time.Duration
		}) bool {
			return strings.HasPrefix(rest, u.name)
		})
		value, err := strconv.ParseFloat(number, 64)
		if at < 0 || err != nil || number[0] == '.' || number[len(number)-1] == '.' {
			return 0, false
		}
		rest = rest[len(units[at].name):]
		part := value * float64(units[at].unit)
		if part > float64(maxDuration) || sum+time.Duration(part) > maxDuration {
			return 0, false
		}
		sum += time.Duration(part)
		if rest == "" {
			return sum, true
		}
	}
}

// ParseDuration reads a duration as settings have them, such as 90s, 1m30s or 7d.
func ParseDuration(s string) (time.Duration, bool) { return parseDuration(s) }

const durationPattern = `^(0|([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h|d))+)$`

func (k duration) wants() string {
	if k.positive {
		return "a duration above zero with a unit, such as 500ms, 5s, 1m30s or 14d"
	}
	return "a duration with a unit, such as 500ms, 5s, 1m30s or 14d"
}

func (k duration) shape() *shape {
	schema := map[string]any{"type": "string", "pattern": durationPattern}
	if k.positive {
		schema["allOf"] = []any{map[string]any{"pattern": "[1-9]"}}
	} else {
		schema = map[string]any{"anyOf": []any{schema, map[string]any{"const": 0}}}
	}
	return &shape{wants: k.wants(), schema: schema, scalar: func(n *node) (any, string) {
		if i, ok := n.value().(int64); ok && i == 0 && !k.positive {
			return time.Duration(0), ""
		}
		if _, ok := n.value().(string); !ok && !n.substituted() {
			return nil, quoted(n.text, "") + " is not a duration"
		}
		return k.parse(n.text, n.shown)
	}}
}

// size is a number of bytes above zero, with or without a unit.
type size struct{}

const sizeWanted = "a number of bytes above zero, or one with a unit, such as 200MB or 1GiB"

var sizes = map[string]float64{"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}

func (size) parse(s, shown string) (any, string) {
	number := s[:len(s)-len(strings.TrimLeft(s, "0123456789."))]
	unit, ok := sizes[strings.TrimPrefix(s[len(number):], " ")]
	value, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || value*unit < 1 || value*unit >= 1<<62 || number[0] == '.' || number[len(number)-1] == '.' {
		return nil, quoted(s, shown) + " is not a size"
	}
	return int64(value * unit), ""
}

func (k size) shape() *shape {
	schema := map[string]any{"anyOf": []any{
		map[string]any{"type": "integer", "minimum": 1},
		map[string]any{"type": "string", "pattern": `^[0-9]+(\.[0-9]+)? ?([kKMGT]?B|[KMGT]iB)?$`, "allOf": []any{map[string]any{"pattern": "[1-9]"}}},
	}}
	return &shape{wants: sizeWanted, schema: schema, scalar: func(n *node) (any, string) {
		switch n.value().(type) {
		case string, int64:
			return k.parse(n.text, n.shown)
		}
		if n.substituted() {
			return nil, quoted("", n.shown) + " is not a size"
		}
		return nil, "is " + n.is()
	}}
}
