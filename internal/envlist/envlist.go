// Package envlist changes environments of processes, as lists of NAME=value.
package envlist

import (
	"runtime"
	"slices"
	"strings"
)

// Get returns the value of a variable: as getenv of C does, that of the first entry.
func Get(env []string, name string) string {
	for _, entry := range env {
		if value, ok := valueOf(entry, name); ok {
			return value
		}
	}
	return ""
}

// Set returns the environment with the variable in it once, at the end. The list given is not changed.
func Set(env []string, name, value string) []string {
	return append(Unset(env, name), name+"="+value)
}

// Unset returns the environment without the variable. The list given is not changed.
func Unset(env []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		_, ok := valueOf(entry, name)
		return ok
	})
}

func valueOf(entry, name string) (string, bool) {
	if len(entry) <= len(name) || entry[len(name)] != '=' {
		return "", false
	}
	head := entry[:len(name)]
	if head == name || runtime.GOOS == "windows" && strings.EqualFold(head, name) {
		return entry[len(name)+1:], true
	}
	return "", false
}
