package cicontext

import (
	"path/filepath"
	"strings"

	"cbc-otel/mapping"
)

// Machine is what is told of the host and the process. Arguments, user names, paths and addresses are not in it.
type Machine struct {
	Hostname  string // "": not told
	GOOS      string
	GOARCH    string
	OSRelease string // text of os-release(5), or ""
	PID       int
	Program   string // argv[0] of the process
}

// Attributes returns the attributes host.*, os.* and process.* of the resource conventions.
func (m Machine) Attributes() []mapping.Attribute {
	attrs := []mapping.Attribute{
		{Key: "host.arch", Value: valueOr(architectures, m.GOARCH)},
		{Key: "os.type", Value: valueOr(systemTypes, m.GOOS)},
		{Key: "process.pid", Value: int64(m.PID)},
	}
	for _, text := range []struct{ key, value string }{
		{"host.name", m.Hostname},
		{"os.name", release(m.OSRelease, "NAME")},
		{"os.version", release(m.OSRelease, "VERSION_ID")},
		{"process.executable.name", executable(m.Program)},
	} {
		if value := clip(text.value); value != "" {
			attrs = append(attrs, mapping.Attribute{Key: text.key, Value: value})
		}
	}
	return attrs
}

func executable(program string) string {
	if program == "" {
		return ""
	}
	return filepath.Base(program)
}

// The words of the conventions where they differ from Go's.
var (
	architectures = map[string]string{"386": "x86", "arm": "arm32", "ppc64le": "ppc64", "ppc": "ppc32"}
	systemTypes   = map[string]string{"dragonfly": "dragonflybsd", "zos": "z_os"}
)

func valueOr(words map[string]string, word string) string {
	if other, ok := words[word]; ok {
		return other
	}
	return word
}

// release reads a value of os-release(5), a file of shell assignments.
func release(text, key string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), key+"="); ok {
			return strings.Trim(value, `"'`)
		}
	}
	return ""
}
