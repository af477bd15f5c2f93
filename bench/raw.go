//go:build unix

package main

import (
	"fmt"
	"strings"
)

// raw lists all samples in the Go benchmark format, which benchstat compares.
func (r *results) raw() string {
	var b strings.Builder
	for _, m := range r.machine {
		fmt.Fprintf(&b, "machine: %s\n", m)
	}
	for _, s := range r.streams {
		for _, su := range []setup{bare, cat, wrapped, node} {
			for _, x := range s.series[su] {
				fmt.Fprintf(&b, "BenchmarkStream/%s/%s 1 %d ns/op %d cpu-ns/op %d peak-B\n", s.name, su, x.wall.Nanoseconds(), x.cpu.Nanoseconds(), x.peak)
			}
		}
	}
	for _, su := range []setup{bare, cat, wrapped} {
		for _, l := range r.latencies[su] {
			fmt.Fprintf(&b, "BenchmarkLatency/%s/p50 1 %d ns/op\n", su, l.p50.Nanoseconds())
			fmt.Fprintf(&b, "BenchmarkLatency/%s/p99 1 %d ns/op\n", su, l.p99.Nanoseconds())
			fmt.Fprintf(&b, "BenchmarkLatency/%s/p999 1 %d ns/op\n", su, l.p999.Nanoseconds())
		}
		for _, s := range r.starts[su] {
			fmt.Fprintf(&b, "BenchmarkStart/%s 1 %d ns/op\n", su, s.whole.Nanoseconds())
		}
	}
	for _, protocol := range protocols {
		for _, d := range r.exits[protocol] {
			fmt.Fprintf(&b, "BenchmarkExit/%s 1 %d ns/op\n", protocol, d.Nanoseconds())
		}
	}
	return b.String()
}
