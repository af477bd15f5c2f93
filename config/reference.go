package config

import (
	"fmt"
	"strings"
)

// Reference returns the parts of docs/configuration.md that follow from the table, by the name of the part.
func Reference() map[string]string {
	return map[string]string{
		"settings":   settingsReference(),
		"standard":   standardReference(),
		"attributes": rulesReference("attributes[]", attributesShape().items),
		"redaction":  rulesReference("redaction", redactionShape()),
		"drop":       rulesReference("drop[]", dropShape().items),
	}
}

func settingsReference() string {
	var b strings.Builder
	b.WriteString("| key in the file | flag | variable | default | meaning |\n| --- | --- | --- | --- | --- |\n")
	for i := range table {
		set := &table[i]
		key, flag := code(set.Name), ""
		if set.OutsideFile {
			key = ""
		}
		if set.Flag != "" {
			flag = code(strings.TrimSpace("--" + set.Flag + " " + strings.ReplaceAll(set.placeholder(), "|", "\\|")))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", key, flag, code(set.Env), code(set.Default), set.Help)
	}
	return b.String()
}

func standardReference() string {
	var b strings.Builder
	b.WriteString("| key in the file | variables, the first that is set counts |\n| --- | --- |\n")
	for i := range table {
		if set := &table[i]; len(set.OTel) > 0 {
			fmt.Fprintf(&b, "| %s | %s |\n", code(set.Name), code(set.OTel...))
		}
	}
	return b.String()
}

// rulesReference lists the keys of a section of rules.
func rulesReference(path string, s *shape) string {
	var b strings.Builder
	b.WriteString("| key | value | meaning |\n| --- | --- | --- |\n")
	listFields(&b, path, s)
	return b.String()
}

func listFields(b *strings.Builder, path string, s *shape) {
	for _, f := range s.fields {
		fmt.Fprintf(b, "| %s | %s | %s |\n", code(path+"."+f.key), f.get().wants, f.help)
		inner, below := f.get(), path+"."+f.key
		if inner.items != nil {
			inner, below = inner.items, below+"[]"
		}
		if inner.fields != nil {
			listFields(b, below, inner)
		}
	}
}

// code formats words as code, with commas between them.
func code(words ...string) string {
	var list []string
	for _, w := range words {
		if w != "" {
			list = append(list, "`"+w+"`")
		}
	}
	return strings.Join(list, ", ")
}
