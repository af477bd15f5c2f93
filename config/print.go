package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cbc-otel/filter"
	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

// Print returns the settings in effect as a file, with the origin of each in a comment. Secrets are masked.
// A setting without a value is not in it.
func (s *Settings) Print() string {
	var p printer
	for i := range table {
		set := &table[i]
		if set.OutsideFile {
			continue
		}
		if set.field == nil {
			p.rules(set.Name, s.root)
			continue
		}
		idle := s.Origins[set.Name].Source == FromDefault &&
			(strings.HasPrefix(set.Name, "otlp.") && !s.Uses("otlp") || strings.HasPrefix(set.Name, "metrics.") && !s.Metrics.Enabled)
		if lines := s.value(set); len(lines) > 0 && !idle {
			p.setting(set.Name, lines, s.Origins[set.Name])
		}
	}
	head := "# The configuration in effect. Secrets are masked.\n"
	if s.ConfigFile != "" {
		head += "# file: " + s.ConfigFile + "\n"
	}
	if s.OTLP.URL != "" {
		head += "# traces are sent to: " + s.OTLP.URL + "\n"
	}
	if s.Metrics.Enabled && s.Metrics.OTLP.URL != "" {
		head += "# metrics are sent to: " + s.Metrics.OTLP.URL + "\n"
	}
	return filter.Redact(head + p.String())
}

// value renders a setting: one line for a scalar or a short list, several for a mapping (first an empty one).
func (s *Settings) value(set *Setting) []string {
	switch v := set.field(s).(type) {
	case *string:
		if *v != "" {
			return []string{scalar(*v)}
		}
	case *[]string:
		if len(*v) == 0 {
			return []string{"none"}
		}
		return []string{"[" + strings.Join(*v, ", ") + "]"}
	case *bool:
		return []string{strconv.FormatBool(*v)}
	case *time.Duration:
		return []string{showDuration(*v)}
	case *int64:
		return []string{showSize(*v)}
	case *say.Level:
		return []string{v.String()}
	case *[]Header:
		lines := []string{""}
		for _, h := range *v {
			lines = append(lines, plainOrQuoted(h.Name)+`: "`+masked+`"`)
		}
		return lines[:min(len(lines), len(lines)*len(*v))]
	case *[]mapping.Attribute:
		lines := []string{""}
		for _, a := range *v {
			lines = append(lines, plainOrQuoted(a.Key)+": "+attributeValue(a.Value))
		}
		return lines[:min(len(lines), len(lines)*len(*v))]
	}
	return nil
}

func attributeValue(v any) string {
	switch v := v.(type) {
	case string:
		return scalar(v)
	case []string:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = strconv.Quote(item)
		}
		return "[" + strings.ReplaceAll(strings.Join(items, ", "), "$", "$$") + "]"
	case float64:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0" // else it would be read as a whole number
		}
		return text
	}
	return fmt.Sprint(v)
}

// scalar writes text so that it is read as the same text.
func scalar(text string) string { return plainOrQuoted(strings.ReplaceAll(text, "$", "$$")) }

// plainOrQuoted quotes text if it would not be read as text otherwise.
func plainOrQuoted(text string) string {
	n := node{text: text, plain: true}
	_, isText := n.value().(string)
	if isText && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@=+-$") == "" &&
		!strings.HasSuffix(text, ":") && !strings.ContainsAny(text[:1], ":@=-") {
		return text
	}
	return strconv.Quote(text)
}

func showDuration(d time.Duration) string {
	if d >= 24*time.Hour && d%(24*time.Hour) == 0 {
		return strconv.Itoa(int(d/(24*time.Hour))) + "d"
	}
	if d == 0 {
		return "0s"
	}
	text := d.String()
	if rest, ok := strings.CutSuffix(text, "m0s"); ok {
		text = rest + "m"
	}
	if rest, ok := strings.CutSuffix(text, "h0m"); ok {
		text = rest + "h"
	}
	return strings.ReplaceAll(text, "µs", "us")
}

func showSize(n int64) string {
	for _, unit := range []string{"GB", "GiB", "MB", "MiB", "kB", "KiB"} {
		if one := int64(sizes[unit]); n%one == 0 {
			return strconv.FormatInt(n/one, 10) + unit
		}
	}
	return strconv.FormatInt(n, 10)
}

// printer writes nested keys, each section once.
type printer struct {
	strings.Builder
	section []string
}

// open writes the keys above the last one of name and returns the last one, indented.
func (p *printer) open(name string) (key, indent string) {
	keys := strings.Split(name, ".")
	above := keys[:len(keys)-1]
	for depth, k := range above {
		if depth >= len(p.section) || p.section[depth] != k {
			p.section = append(slices.Clone(p.section[:min(depth, len(p.section))]), k)
			p.WriteString(strings.Repeat("  ", depth) + k + ":\n")
		}
	}
	p.section = slices.Clone(above)
	return keys[len(keys)-1], strings.Repeat("  ", len(above))
}

func (p *printer) setting(name string, lines []string, origin Origin) {
	key, indent := p.open(name)
	first := indent + key + ":"
	if lines[0] != "" {
		first += " " + lines[0]
	}
	fmt.Fprintf(p, "%-48s # %s\n", first, say.Clean(origin.String()))
	for _, line := range lines[1:] {
		p.WriteString(indent + "  " + line + "\n")
	}
}

// rules writes a section as it stands in the file.
func (p *printer) rules(name string, root *node) {
	if root == nil {
		return
	}
	for _, pair := range root.pairs {
		if pair.key.text == name && !pair.value.isNull() {
			p.open(name)
			p.WriteString(name + ":")
			p.node(pair.value, name, 0)
		}
	}
}

// node writes a value after its key or dash.
func (p *printer) node(n *node, path string, depth int) {
	indent := "\n" + strings.Repeat("  ", depth)
	switch {
	case n.kind == scalarNode && path == "redaction.hmac_key":
		p.WriteString(` "` + masked + `"`)
	case n.kind == scalarNode:
		p.WriteString(" " + n.source())
	case n.kind == listNode && len(n.items) == 0:
		p.WriteString(" []")
	case n.kind == listNode:
		for _, item := range n.items {
			p.WriteString(indent + "  -")
			p.node(item, path, depth+1)
		}
	case n.kind == mapNode && len(n.pairs) == 0:
		p.WriteString(" {}")
	case n.kind == mapNode:
		for _, pair := range n.pairs {
			p.WriteString(indent + "  " + plainOrQuoted(pair.key.text) + ":")
			p.node(pair.value, join(path, pair.key.text), depth+1)
		}
	}
	if depth == 0 {
		p.WriteString("\n")
	}
}

// source writes a scalar as it was before substitution. A plain one whose type is open stays plain.
func (n *node) source() string {
	_, isText := n.value().(string)
	switch {
	case !n.plain, strings.Contains(n.raw, "\n"):
		return strconv.Quote(n.raw)
	case n.substituted(), !isText:
		return n.raw
	}
	return plainOrQuoted(n.raw)
}
