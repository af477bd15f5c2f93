package config

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"cbc-otel/internal/say"
)

const ownName = "cbc-otel"

// launcher runs another program, which is the one a service is named after.
type launcher struct {
	flags  string   // short options without a value, which may be written together
	long   []string // long ones
	values []string // options whose value is the next argument
}

// launchers by name. What is not listed here may be followed by anything: code, or what somebody asked for.
var launchers = map[string]launcher{
	"env": {"i0v", []string{"--ignore-environment", "--null", "--debug"}, []string{"-u", "--unset", "-C", "--chdir"}},
	"node": {"", []string{
		"--enable-source-maps", "--no-warnings", "--no-deprecation", "--trace-warnings", "--trace-uncaught", "--trace-deprecation", "--inspect",
		"--inspect-brk", "--use-system-ca", "--use-openssl-ca", "--use-bundled-ca", "--preserve-symlinks", "--experimental-strip-types",
	}, []string{"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file", "--env-file-if-exists"}},
	"npx": {"yq", []string{"--yes", "--no-install", "--no", "--quiet", "--prefer-offline", "--offline"}, []string{"-p", "--package", "-w", "--workspace"}},
}

// option says whether arg is an option that is known, and how many arguments it takes up.
func (l launcher) option(arg string) (size int, known bool) {
	name, _, valued := strings.Cut(arg, "=")
	switch {
	case slices.Contains(l.values, arg):
		return 2, true
	case slices.Contains(l.long, arg), strings.HasPrefix(arg, "--") && valued && !strings.HasSuffix(name, "eval") && !strings.HasSuffix(name, "print"):
		return 1, true
	}
	return 1, len(arg) > 1 && strings.Trim(arg[1:], l.flags) == ""
}

// commandName returns the base name of what a command line runs: of the command, or of its first argument for those that
// run another. Of arguments nothing else may become a name, so that the launcher's own is returned where it is in doubt.
func commandName(command []string) string {
	if len(command) == 0 {
		return ownName
	}
	name := base(command[0])
	l, launches := launchers[name]
	for i := 1; launches && i < len(command); {
		arg := command[i]
		switch {
		case arg == "--" || name == "env" && strings.Contains(arg, "=") && !strings.HasPrefix(arg, "-"):
			i++
		case strings.HasPrefix(arg, "-"):
			size, known := l.option(arg)
			if !known {
				return name
			}
			i += size
		case strings.ContainsFunc(arg, unicode.IsSpace):
			return name // a command line, or no path anybody would choose
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
