//go:build unix

package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"cbc-otel/internal/simcbc/generate"
)

//go:embed baseline.mjs
var baseline []byte

// results is everything that was measured.
type results struct {
	machine   []string
	rounds    int
	streams   []streamResult
	latencies map[setup][]latency
	starts    map[setup][]start
	exits     map[string][]time.Duration // by protocol: the wrapper's end after that of a command with a workflow
	inits     time.Duration              // sum of the wrapper's package initialisers, 0 if unknown
	mapping   time.Duration              // for a snapshot with one change among 1,000 agents
	noMapping string                     // why not
	floor     int64                      // bytes: peaks below this cannot be told
}

// streamResult holds the series of a stream by set-up.
type streamResult struct {
	name, about string
	size        int64
	series      map[setup]series
}

// measure takes all measurements. Each round goes through all streams and all set-ups, so that what else
// the machine does meets all of them alike.
func (b *bench) measure(o options) (*results, error) {
	r := &results{machine: b.machine(), rounds: o.rounds, latencies: map[setup][]latency{}, starts: map[setup][]start{}, exits: map[string][]time.Duration{}}
	files := map[string]string{}
	for _, s := range generate.Streams(o.seed) {
		if o.streams != "" && !slices.Contains(strings.Split(o.streams, ","), s.Name) {
			continue
		}
		file, size, err := b.cached(o.cache, s.Name, o.seed)
		if err != nil {
			return nil, err
		}
		files[s.Name] = file
		r.streams = append(r.streams, streamResult{name: s.Name, about: s.About, size: size, series: map[setup]series{}})
	}
	for round := range o.rounds {
		for _, s := range r.streams {
			fmt.Fprintf(b.log, "bench: round %d of %d, %s\n", round+1, o.rounds, s.name)
			for _, su := range b.setups(s.name, round, o.nodeRounds) {
				x, err := b.run(su, files[s.name])
				if err == nil && su != node && x.bytes != s.size {
					err = fmt.Errorf("%s: %d bytes of %d came through", su, x.bytes, s.size)
				}
				if err != nil {
					return nil, fmt.Errorf("%s: %w", s.name, err)
				}
				s.series[su] = append(s.series[su], x)
			}
		}
	}
	if err := b.small(o, r); err != nil {
		return nil, err
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err == nil {
		r.floor = peakOf(&u)
	}
	return r, nil
}

// setups are those to run for a stream in a round, another one first each time.
func (b *bench) setups(stream string, round, nodeRounds int) []setup {
	all := []setup{bare, cat, wrapped}
	k := round % len(all)
	all = append(slices.Clone(all[k:]), all[:k]...)
	if b.node != nil && round < nodeRounds && strings.HasSuffix(stream, "-1000") {
		all = append(all, node)
	}
	return all
}

// small measures latency, start-up, and the mapping benchmark.
func (b *bench) small(o options, r *results) error {
	for round := range o.rounds {
		fmt.Fprintf(b.log, "bench: latency, round %d of %d\n", round+1, o.rounds)
		for _, su := range []setup{bare, cat, wrapped} {
			l, err := b.pingPong(su, o.lines)
			if err != nil {
				return fmt.Errorf("latency: %w", err)
			}
			r.latencies[su] = append(r.latencies[su], l)
		}
	}
	fmt.Fprintf(b.log, "bench: %d starts\n", o.starts)
	for range o.starts {
		for _, su := range []setup{bare, wrapped} {
			s, err := b.startup(su)
			if err != nil {
				return fmt.Errorf("start-up: %w", err)
			}
			r.starts[su] = append(r.starts[su], s)
		}
	}
	for _, protocol := range protocols {
		if o.exits == 0 {
			break
		}
		fmt.Fprintf(b.log, "bench: %d exits, %s\n", o.exits, protocol)
		took, err := b.exits(protocol, o.exits, arrival)
		if err != nil {
			return fmt.Errorf("exit: %w", err)
		}
		r.exits[protocol] = took
	}
	var err error
	if r.inits, err = b.initTrace(); err != nil {
		fmt.Fprintln(b.log, "bench:", err)
	}
	if r.mapping, err = mappingTime(o.mapping); err != nil {
		r.noMapping = err.Error()
		fmt.Fprintln(b.log, "bench: mapping:", err)
	}
	return nil
}

// cached gives the file of a stream, which it generates unless an earlier run did.
func (b *bench) cached(dir, name string, seed uint64) (file string, size int64, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", 0, err
	}
	file = filepath.Join(dir, fmt.Sprintf("%s-seed%d-v%d.ndjson", name, seed, generate.Version))
	if i, err := os.Stat(file); err == nil {
		return file, i.Size(), nil
	}
	fmt.Fprintf(b.log, "bench: generate %s\n", file)
	f, err := os.CreateTemp(dir, name)
	if err != nil {
		return "", 0, err
	}
	defer os.Remove(f.Name()) // gone once it is renamed
	defer f.Close()
	c := b.command(b.self, role, "generate", name, fmt.Sprint(seed))
	c.Stdout = f
	said := &tail{}
	c.Stderr = said
	if err := c.Run(); err != nil {
		return "", 0, fmt.Errorf("generate %s: %w: %s", name, err, said)
	}
	i, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	return file, i.Size(), os.Rename(f.Name(), file)
}

// mappingTime runs a Go benchmark, given as package and name, and returns its ns/op.
func mappingTime(which string) (time.Duration, error) {
	pkg, name, ok := strings.Cut(which, " ")
	if !ok {
		return 0, fmt.Errorf("no benchmark named")
	}
	out, err := exec.Command("go", "test", "-run", "^$", "-bench", "^"+strings.ReplaceAll(name, "/", "$/^")+"$", "-count", "3", pkg).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("go test -bench %s %s: %w", name, pkg, err)
	}
	times := benchTimes(string(out), name)
	if len(times) == 0 {
		return 0, fmt.Errorf("%s has no %s", pkg, name)
	}
	return median(times, func(d time.Duration) time.Duration { return d }), nil
}

// benchTimes reads "BenchmarkX-2   1000   1234 ns/op …" lines.
func benchTimes(out, name string) (times []time.Duration) {
	for line := range strings.Lines(out) {
		var n int
		var ns float64
		rest, ok := strings.CutPrefix(line, name)
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) > 0 && strings.HasPrefix(fields[0], "-") {
			fields = fields[1:] // the number of processors
		}
		if _, err := fmt.Sscanf(strings.Join(fields, " "), "%d %g ns/op", &n, &ns); err == nil {
			times = append(times, time.Duration(ns))
		}
	}
	return times
}
