//go:build unix

package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestStatistics(t *testing.T) {
	t.Parallel()
	same := func(x int64) int64 { return x }
	for _, tt := range []struct {
		xs   []int64
		want int64
	}{{nil, 0}, {[]int64{5}, 5}, {[]int64{9, 1, 5}, 5}, {[]int64{9, 1, 5, 7}, 6}} {
		if got := median(tt.xs, same); got != tt.want {
			t.Errorf("median of %v is %d, want %d", tt.xs, got, tt.want)
		}
	}
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	for p, want := range map[float64]time.Duration{0: 1, 0.5: 50, 0.99: 99, 0.999: 100, 1: 100} {
		if got := percentile(hundred, p); got != want {
			t.Errorf("percentile %g is %d, want %d", p, got, want)
		}
	}
}

// made up so that each row has a verdict that is easy to see.
func example() *results {
	s := func(wall, cpu time.Duration, peak int64) series { return series{{wall: wall, cpu: cpu, peak: peak}} }
	return &results{
		rounds: 1, machine: []string{"a machine"}, floor: 8 << 20,
		streams: []streamResult{
			{name: "cbc-1000", size: 300e6, series: map[setup]series{
				bare: s(time.Second, 0, 0), cat: s(2*time.Second, time.Second, 7<<20), wrapped: s(2*time.Second, 300*time.Millisecond, 20<<20), node: s(time.Minute, 60*time.Second, 640<<20),
			}},
			{name: "cbc-100x70", size: 300e6, series: map[setup]series{wrapped: s(time.Second, 250*time.Millisecond, 1)}},
			{name: "claude-1000", size: 500e6, series: map[setup]series{
				cat: s(2*time.Second, time.Second, 7<<20), wrapped: s(3*time.Second, 3*time.Second, 50<<20), node: s(time.Minute, 60*time.Second, 640<<20),
			}},
			{name: "claude-100x70", size: 500e6, series: map[setup]series{wrapped: s(time.Second, time.Second, 1)}},
			{name: "text", size: 200e6, series: map[setup]series{cat: s(100, 1, 1), wrapped: s(110, 1, 1)}},
		},
		latencies: map[setup][]latency{bare: {{1, 1, 1}}, cat: {{10, 10, 10}}, wrapped: {{10, 15, 30}}},
		starts:    map[setup][]start{bare: {{5e6, 3e6, 1e6}}, wrapped: {{35e6, 13e6, 2e6}}},
		exits:     map[string][]time.Duration{"grpc": {40e6}, "http/protobuf": {30e6, 60e6, 80e6}},
		inits:     11 * time.Millisecond, noMapping: "no such benchmark",
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	var got []string
	for _, x := range example().rows() {
		got = append(got, strings.TrimSpace(x.cell(x.value)+" "+x.verdict()))
	}
	want := []string{
		"1.00 met", "1/200.0 met", "20.0 MB met",
		"1.50 **missed**", "1/20.0 within must", "50.0 MB **missed**",
		"1.10 within must",
		"1.00 met", "1.50 within must", "3.00",
		"30.0 ms **missed**", "10.0 ms", "1.0 ms",
		"40.0 ms met", "60.0 ms **missed**",
		"not measured",
		"1.20 within must", "3.00 **missed**",
		"not measured",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	text := example().markdown()
	for _, want := range []string{
		"Medians of 1 rounds on a machine.\n",
		"| wall on the 1,000-agent stream, cbc, against `cat` | 1.00 | 1.00 | ≤ 1.25 | met | 2.00 s, cat 2.00, bare 1.00, node 60.00 |\n",
		"| peak memory on it | 20.0 MB | 24.0 MB | ≤ 40.0 MB | met | cat under 8.0 MB, node 640.0 MB |\n",
		"| start and exit, `-- true` over bare `true` | 30.0 ms | 18.0 ms | ≤ 26.0 ms | **missed** | 35.0 ms, bare 5.0 ms; package initialisers 11.0 ms |\n",
		"| mapping, 1,000 agents, a snapshot with one change |  | 20.0 µs | ≤ 200.0 µs | not measured | no such benchmark |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q in\n%s", want, text)
		}
	}
}
