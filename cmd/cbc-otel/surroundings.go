package main

import (
	"os"
	"runtime"

	"cbc-otel/internal/cicontext"
	"cbc-otel/mapping"
)

// osRelease names the system on Linux and some others: os-release(5).
const osRelease = "/etc/os-release"

// surroundings describe where a command runs: this machine and process, and the CI job if there is one. Streams
// that are replayed come from elsewhere.
func (h *host) surroundings() []mapping.Attribute {
	m := cicontext.Machine{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, PID: os.Getpid(), Program: h.args[0]}
	m.Hostname, _ = os.Hostname()
	if release, err := os.ReadFile(osRelease); err == nil {
		m.OSRelease = string(release)
	}
	return append(m.Attributes(), cicontext.Attributes(h.getenv)...)
}
