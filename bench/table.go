//go:build unix

package main

import (
	"fmt"
	"strings"
	"time"
)

// row is a line of the table of targets. Smaller is better everywhere.
type row struct {
	what         string
	value        float64 // 0: not measured
	format       func(float64) string
	target, must float64 // 0: none
	note         string
}

func times(x float64) string   { return fmt.Sprintf("%.2f", x) }
func oneOver(x float64) string { return fmt.Sprintf("1/%.1f", 1/x) }
func megabytes(x float64) string {
	return fmt.Sprintf("%.1f MB", x/(1<<20))
}
func millis(x float64) string { return fmt.Sprintf("%.1f ms", x/float64(time.Millisecond)) }
func micros(x float64) string { return fmt.Sprintf("%.1f µs", x/float64(time.Microsecond)) }

const (
	mb = float64(1 << 20)
	ms = float64(time.Millisecond)
	us = float64(time.Microsecond)
)

func (r *results) stream(name string) streamResult {
	for _, s := range r.streams {
		if s.name == name {
			return s
		}
	}
	return streamResult{}
}

// rows is the table of targets, in the order of its rows.
func (r *results) rows() []row {
	var rows []row
	for _, f := range []string{"cbc", "claude"} {
		s := r.stream(f + "-1000")
		rows = append(rows,
			row{"wall on the 1,000-agent stream, " + f + ", against `cat`", ratio(s.series[wrapped].wall(), s.series[cat].wall()), times, 1.0, 1.25, walls(s)},
			row{"CPU of the wrapper on it, against the Node baseline", ratio(s.series[wrapped].cpu(), s.series[node].cpu()), oneOver, 1.0 / 50, 1.0 / 15, cpus(s)},
			row{"peak memory on it", float64(s.series[wrapped].peak()), megabytes, 24 * mb, 40 * mb, r.peaks(s)},
		)
	}
	text := r.stream("text")
	rows = append(rows, row{"plain text stream, wall against `cat`", ratio(text.series[wrapped].wall(), text.series[cat].wall()), times, 1.0, 1.15, walls(text)})
	for _, p := range []struct {
		name         string
		of           func(latency) time.Duration
		target, must float64
	}{
		{"p50", func(l latency) time.Duration { return l.p50 }, 1.0, 1.3},
		{"p99", func(l latency) time.Duration { return l.p99 }, 1.2, 2},
		{"p99.9", func(l latency) time.Duration { return l.p999 }, 0, 0},
	} {
		w, c := median(r.latencies[wrapped], p.of), median(r.latencies[cat], p.of)
		rows = append(rows, row{"latency of a 1 KB line against `cat`, " + p.name, ratio(w, c), times, p.target, p.must,
			fmt.Sprintf("%s, cat %s, bare %s", micros(float64(w)), micros(float64(c)), micros(float64(median(r.latencies[bare], p.of))))})
	}
	over := func(of func(start) time.Duration) (float64, string) {
		w, b := median(r.starts[wrapped], of), median(r.starts[bare], of)
		return max(float64(w-b), 1), fmt.Sprintf("%s, bare %s", millis(float64(w)), millis(float64(b)))
	}
	whole, note := over(func(s start) time.Duration { return s.whole })
	begin, beginNote := over(func(s start) time.Duration { return s.begin })
	exit, exitNote := over(func(s start) time.Duration { return s.exit })
	if r.inits > 0 {
		note += fmt.Sprintf("; package initialisers %s", millis(float64(r.inits)))
	}
	rows = append(rows,
		row{"start and exit, `-- true` over bare `true`", whole, millis, 18 * ms, 26 * ms, note},
		row{"until the child runs, over bare", begin, millis, 0, 0, beginNote},
		row{"from the child's end to ours, over bare", exit, millis, 0, 0, exitNote},
	)
	for _, protocol := range protocols {
		took := median(r.exits[protocol], func(d time.Duration) time.Duration { return d })
		rows = append(rows, row{"from the end of a command with a workflow to ours, healthy collector, " + protocol, float64(took), millis, 50 * ms, 50 * ms, ""})
	}
	rows = append(rows,
		row{"mapping, 1,000 agents, a snapshot with one change", float64(r.mapping), micros, 20 * us, 200 * us, r.noMapping},
	)
	for _, f := range []string{"cbc", "claude"} {
		small, large := r.stream(f+"-100x70"), r.stream(f+"-1000")
		perByte := func(s streamResult) float64 { return ratio(float64(s.series[wrapped].cpu()), float64(s.size)) }
		rows = append(rows, row{"growth from 100 to 1,000 agents, CPU per byte, " + f, ratio(perByte(large), perByte(small)), times, 1.0, 1.2,
			fmt.Sprintf("%.3f and %.3f ns", perByte(small), perByte(large))})
	}
	long := r.stream("long-line")
	return append(rows, row{"100 MB line, peak memory", float64(long.series[wrapped].peak()), megabytes, 16 * mb, 40 * mb, r.peaks(long)})
}

func walls(s streamResult) string {
	note := fmt.Sprintf("%.2f s, cat %.2f, bare %.2f", s.series[wrapped].wall().Seconds(), s.series[cat].wall().Seconds(), s.series[bare].wall().Seconds())
	if n := s.series[node].wall(); n > 0 {
		note += fmt.Sprintf(", node %.2f", n.Seconds())
	}
	return note
}

func cpus(s streamResult) string {
	return fmt.Sprintf("%.3f s, cat %.3f, node %.2f", s.series[wrapped].cpu().Seconds(), s.series[cat].cpu().Seconds(), s.series[node].cpu().Seconds())
}

// peaks tells those of the others; one at the floor is only known to be no more.
func (r *results) peaks(s streamResult) string {
	var notes []string
	for _, su := range []setup{cat, node} {
		switch p := s.series[su].peak(); {
		case p == 0:
		case p <= r.floor:
			notes = append(notes, fmt.Sprintf("%s under %s", su, megabytes(float64(r.floor))))
		default:
			notes = append(notes, fmt.Sprintf("%s %s", su, megabytes(float64(p))))
		}
	}
	return strings.Join(notes, ", ")
}

// verdict of a row in one word.
func (r row) verdict() string {
	switch {
	case r.value == 0:
		return "not measured"
	case r.must == 0:
		return ""
	case r.value <= r.target:
		return "met"
	case r.value <= r.must:
		return "within must"
	default:
		return "**missed**"
	}
}

func (r row) cell(v float64) string {
	if v == 0 {
		return ""
	}
	return r.format(v)
}

// markdown is the report.
func (r *results) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Medians of %d rounds on %s.\n\n", r.rounds, strings.Join(r.machine, "; "))
	b.WriteString("| what | measured | target | must | | in numbers |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, x := range r.rows() {
		must := x.cell(x.must)
		if must != "" {
			must = "≤ " + must
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", x.what, x.cell(x.value), x.cell(x.target), must, x.verdict(), x.note)
	}
	b.WriteString("\n| stream | MB | bare s | cat s | wrapper s | against cat | CPU s | cat CPU s | peak MB |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, s := range r.streams {
		w, c := s.series[wrapped], s.series[cat]
		fmt.Fprintf(&b, "| %s | %.1f | %.3f | %.3f | %.3f | %.2f | %.3f | %.3f | %.1f |\n", s.name, float64(s.size)/1e6,
			s.series[bare].wall().Seconds(), c.wall().Seconds(), w.wall().Seconds(), ratio(w.wall(), c.wall()), w.cpu().Seconds(), c.cpu().Seconds(), float64(w.peak())/mb)
	}
	b.WriteString("\n")
	for _, s := range r.streams {
		fmt.Fprintf(&b, "- %s: %s\n", s.name, s.about)
	}
	fmt.Fprintf(&b, "\nCPU and peak memory are those of the program in the middle, without the wrapped command. A peak below %s cannot be told: that is where a process starts that the bench starts.\n", megabytes(float64(r.floor)))
	return b.String()
}
