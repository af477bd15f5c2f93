package config

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"cbc-otel/internal/say"
)

const ownName = "cbc-otel"

// launchers run another program, which is the one a service is named after. Their options named here take
// a value of their own.
var launchers = map[string][]string{
	"env":  {"-u", "--unset", "-C", "--chdir"},
	"node": {"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file"},
	"npx":  {"-p", "--package", "-w", "--workspace"},
}

// commandName returns the base name of what a command line runs: of the command, or of its first argument
// for those that run another.
func commandName(command []string) string {
	if len(command) == 0 {
		return ownName
	}
	name := base(command[0])
	options, launches := launchers[name]
	for i := 1; launches && i < len(command); i++ {
		arg := command[i]
		switch {
		case arg == "-e" || arg == "--eval" || arg == "-p" && name == "node" || arg == "--print":
			return name // what follows is code
		case arg == "--":
		case strings.HasPrefix(arg, "-"):
			if slices.Contains(options, arg) {
				i++
			}
		case name == "env" && strings.Contains(arg, "="):
		default:
			return commandName(command[i:])
		}
	}
	return name
}

// base returns the last element of a path, without .exe and, of a package, without its version.
func base(command string) string {
	name := path.Base(strings.ReplaceAll(command, `\`, "/"))
	if strings.HasSuffix(strings.ToLower(name), ".exe") {
		name = name[:len(name)-len(".exe")]
	}
	if at := strings.LastIndex(name, "@"); at > 0 {
		name = name[:at]
	}
	name = strings.TrimSpace(say.Clean(name))
	if name == "" || name == "." || name == "/" {
		return ownName
	}
	if runes := []rune(name); len(runes) > 128 {
		name = string(runes[:128])
	}
	return name
}

// resourceName returns service.name of OTEL_RESOURCE_ATTRIBUTES.
func resourceName(variable string) string {
	for pair := range strings.SplitSeq(variable, ",") {
		if key, value, ok := strings.Cut(pair, "="); ok && strings.TrimSpace(key) == "service.name" {
			if name, err := url.PathUnescape(strings.TrimSpace(value)); err == nil {
				return name
			}
		}
	}
	return ""
}
