package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const attributesExample = `
  - name: team
    include: {match_type: strict, spans: [workflow]}
    actions:
      - {key: team, value: platform, action: insert}
  - name: no-usage
    actions:
      - {pattern: '^cbc\.usage\.', action: delete}
`

const redactionExample = `
  blocked_values: ['\b\d{3}-\d{2}-\d{4}\b']
  blocked_key_patterns: ['(?i)customer']
  summary: info
`

const dropExample = `
  - spans: [agent]
    attributes: [{key: cbc.agent.state, value: cached}]
`

// Starter returns a file with every setting in a comment, to begin with. A # that no space follows is before
// a setting, and all that has to go to make it one.
func Starter() string {
	var b strings.Builder
	b.WriteString(`# Configuration of cbc-otel. Take the # off what you need; what stays in a comment has its default.
# Flags and CBC_OTEL_* variables go before this file, OTEL_* variables come after it.
# ${env:NAME} and ${env:NAME:-default} put in the value of an environment variable.
# "cbc-otel config validate" checks the file, "cbc-otel config print" shows what is in effect.
`)
	section := []string{}
	for i := range table {
		set := &table[i]
		if set.OutsideFile {
			continue
		}
		keys := strings.Split(set.Name, ".")
		for depth, key := range keys[:len(keys)-1] {
			if depth < len(section) && section[depth] == key {
				continue
			}
			if depth == 0 {
				b.WriteString("\n")
			}
			section = append(section[:depth:depth], key)
			b.WriteString(strings.Repeat("  ", depth) + "#" + key + ":\n")
		}
		section = section[:len(keys)-1]
		indent := strings.Repeat("  ", len(keys)-1)
		if indent == "" {
			b.WriteString("\n")
		}
		value := set.Default
		if set.Example != "" {
			value = set.Example
		}
		for _, line := range wrap(set.Help, 100) {
			b.WriteString(indent + "# " + line + "\n")
		}
		b.WriteString(indent + "#" + keys[len(keys)-1] + ":")
		if lines, ok := strings.CutPrefix(value, "\n"); ok {
			b.WriteString("\n")
			for line := range strings.SplitSeq(strings.TrimSuffix(lines, "\n"), "\n") {
				text := strings.TrimLeft(line, " ")
				b.WriteString(line[:len(line)-len(text)] + "#" + text + "\n")
			}
			continue
		}
		b.WriteString(" " + value + "\n")
	}
	return b.String()
}

// wrap breaks text at spaces into lines of at most width bytes, where that can be.
func wrap(text string, width int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && len(lines[last])+1+len(word) <= width {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

// WriteStarter creates the starter file, and its folder, for the user alone. It never replaces a file.
func WriteStarter(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return errors.New(path + " exists already and is left as it is")
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(Starter())
	return errors.Join(err, f.Close())
}
