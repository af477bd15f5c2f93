package config

import (
	"strings"
	"testing"
)

func TestCommandName(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"":                             "cbc-otel",
		"claude -p hello":              "claude",
		"/usr/local/bin/cbc":           "cbc",
		`C:\Tools\CBC.EXE -p`:          "CBC",
		"./run.sh":                     "run.sh",
		"node":                         "node",
		"node /opt/cbc/dist/cli.js -p": "cli.js",
		"/usr/bin/node --enable-source-maps -r ./hook.js cli.mjs": "cli.mjs",
		"node -e secret()": "node",
		"node -p secret":   "node",
		"node.exe cli.js":  "cli.js",
		"npx -y @anthropic-ai/claude-code@2.1.220 -p x": "claude-code",
		"npx --package @tencent-ai/agent-sdk cbc":       "cbc",
		"npx -- cbc": "cbc",
		"env -i -u HOME PATH=/bin KEY=secret node cbc.js": "cbc.js",
		"env":                                       "env",
		"env -S cat/secret":                         "env",
		"env --split-string=cat/secret":             "env",
		"node -pe secret/words":                     "node",
		"node --eval=secret/words cli.js":           "node",
		"node --env-file-if-exists x.env cli.js":    "cli.js",
		"node --env-file-if-exists x.env -e secret": "node",
		"node --max-old-space-size=4096 cli.js":     "cli.js",
		"node --title agent cli.js":                 "node",
		"node --test-name-pattern secret x.js":      "node",
		"npx -c secret/words":                       "npx",
		"npx --call secret":                         "npx",
		"npx -yq cbc":                               "cbc",
		"/":                                         "cbc-otel",
		"\x1b[1m":                                   "cbc-otel",
		"a\x1b[1mb":                                 "ab",
	} {
		if got := commandName(strings.Fields(command)); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

func TestCommandNameIsNoSentence(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{{"npx", "/bin/cat # audit the merger"}, {"env", "A=b", "cat x"}, {"node", "a b.js"}} {
		if got := commandName(command); got != command[0] {
			t.Errorf("%q: %q", command, got)
		}
	}
}

func TestServiceName(t *testing.T) {
	t.Parallel()
	const file = "service_name: from-file"
	for _, tt := range []struct {
		variables []string
		file      string
		want      string
		origin    string
	}{
		{nil, "", "claude", "from the command"},
		{[]string{"OTEL_RESOURCE_ATTRIBUTES=a=b, service.name = from%20resource"}, "", "from resource", "OTEL_RESOURCE_ATTRIBUTES"},
		{[]string{"OTEL_RESOURCE_ATTRIBUTES=service.name=x"}, file, "from-file", "c.yaml:1"},
		{[]string{"OTEL_SERVICE_NAME=from-env", "OTEL_RESOURCE_ATTRIBUTES=service.name=x"}, file, "from-env", "OTEL_SERVICE_NAME"},
		{nil, "service_name: ' '", "claude", "from the command"},
	} {
		s, errs := load(nil, tt.variables, tt.file)
		if s.ServiceName != tt.want || s.Origins["service_name"].String() != tt.origin || len(errs) > 0 {
			t.Errorf("%v, file %q: %q from %s, errors %v; want %q from %s", tt.variables, tt.file, s.ServiceName, s.Origins["service_name"], errs, tt.want, tt.origin)
		}
	}
}
