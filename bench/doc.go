//go:build unix

// Bench measures what the wrapper costs: it generates streams, sends each through a bare pipe, through
// cat, through the wrapper and through a Node program that parses every line, in turn and several times,
// and prints medians as a Markdown table. Absolute numbers differ from one machine, and one minute, to
// the next; so most rows are ratios between things measured in the same run.
//
//	go run ./bench -wrapper bin/cbc-otel
//
// It runs on Unix systems with cat and true; without node the rows against it are left out.
package main
