package process

import "strings"

// Invocation is what the decision to tap is taken from: arguments and
// environment alone, so that nothing is read before an exec.
type Invocation struct {
	Tap            string   // auto, always or never; empty is auto
	Shim           bool     // started under another program's name
	StdoutTerminal bool     // our standard output is a terminal
	Args           []string // the command's argv, the name at index 0 included
}

// Tapped reports whether the command's output is to be read. If not, the
// program replaces itself with the command where the platform can (Replace).
// In shim form and on terminals a command line without --output-format
// stream-json cannot print workflow events.
func (i Invocation) Tapped() bool {
	switch i.Tap {
	case "always":
		return true
	case "never":
		return false
	}
	if !i.Shim && !i.StdoutTerminal {
		return true
	}
	return HasStreamFlag(i.Args, "--output-format")
}

// HasStreamFlag reports whether the command line args has the flag name with
// the value stream-json, as one argument or as two.
func HasStreamFlag(args []string, name string) bool {
	const value = "stream-json"
	for i, arg := range args {
		if i == 0 {
			continue
		}
		if v, ok := strings.CutPrefix(arg, name+"="); ok && v == value {
			return true
		}
		if arg == name && i+1 < len(args) && args[i+1] == value {
			return true
		}
	}
	return false
}
