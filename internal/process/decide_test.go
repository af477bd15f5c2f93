package process

import (
	"strings"
	"testing"
)

func TestTapped(t *testing.T) {
	t.Parallel()
	stream := "--output-format stream-json"
	for _, c := range []struct {
		name string
		in   Invocation
		args string // after argv[0]
		want bool
	}{
		{"our own form is always tapped", Invocation{}, "plugin list", true},
		{"a terminal is not", Invocation{StdoutTerminal: true}, "", false},
		{"a terminal with stream output is", Invocation{StdoutTerminal: true}, "-p x " + stream, true},
		{"a shim is not", Invocation{Shim: true}, "plugin list --json", false},
		{"a shim with stream output is", Invocation{Shim: true}, stream + " --input-format stream-json", true},
		{"one argument", Invocation{Shim: true}, "--output-format=stream-json", true},
		{"another format", Invocation{Shim: true}, "--output-format json", false},
		{"another format in one argument", Invocation{Shim: true}, "--output-format=json", false},
		{"the input's format says nothing", Invocation{Shim: true}, "--input-format stream-json", false},
		{"the value without its flag", Invocation{Shim: true}, "-p stream-json", false},
		{"the flag without a value", Invocation{Shim: true}, "-p --output-format", false},
		{"a longer flag", Invocation{Shim: true}, "--output-formats stream-json", false},
		{"the last counts no less", Invocation{Shim: true}, "--output-format json " + stream, true},
		{"never", Invocation{Tap: "never"}, stream, false},
		{"always", Invocation{Tap: "always", Shim: true, StdoutTerminal: true}, "", true},
		{"auto by name", Invocation{Tap: "auto", Shim: true}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.in.Args = append([]string{"cbc"}, strings.Fields(c.args)...)
			if got := c.in.Tapped(); got != c.want {
				t.Errorf("Tapped() = %v, want %v", got, c.want)
			}
		})
	}
}

func TestTappedLooksPastTheName(t *testing.T) {
	t.Parallel()
	i := Invocation{Shim: true, Args: []string{"--output-format=stream-json"}}
	if i.Tapped() {
		t.Error("argv[0] was taken for a flag")
	}
}
