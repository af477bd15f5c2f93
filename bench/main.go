//go:build unix

package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// role as the first argument makes the program one of its own children.
const role = "bench-child"

func main() {
	if len(os.Args) > 1 && os.Args[1] == role {
		if err := child(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "bench child:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(os.Args[1:], os.Stdout, os.Stderr, os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	wrapper, args string
	rounds        int
	nodeRounds    int
	lines, starts int
	exits         int
	streams       string
	seed          uint64
	cache         string
	raw           string
	mapping       string
}

func flags(args []string, stderr io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.wrapper, "wrapper", "bin/cbc-otel", "the program to measure")
	f.StringVar(&o.args, "args", "--exporter file --file DIR/traces.jsonl --", "its arguments in front of the wrapped command; DIR is a scratch folder")
	f.IntVar(&o.rounds, "rounds", 5, "rounds of each measurement")
	f.IntVar(&o.nodeRounds, "node-rounds", 2, "rounds of the Node baseline, which takes long; 0 leaves it out")
	f.IntVar(&o.lines, "lines", 5000, "lines of each round of ping-pong")
	f.IntVar(&o.starts, "starts", 40, "starts of `true`")
	f.IntVar(&o.exits, "exits", 20, "runs of a small workflow with a collector, by each protocol; 0 leaves them out")
	f.StringVar(&o.streams, "streams", "", "only these streams: names with a comma between them")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the streams")
	f.StringVar(&o.cache, "cache", filepath.Join(os.TempDir(), "cbc-otel-bench"), "folder that keeps generated streams, up to 2.5 GB; remove it when done")
	f.StringVar(&o.raw, "raw", "", "file for all samples in the Go benchmark format, for benchstat")
	f.StringVar(&o.mapping, "mapping", "./mapping BenchmarkOneChanged/1000", "package and Go benchmark of mapping one change among 1,000 agents")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if o.rounds < 1 || o.nodeRounds < 0 || o.lines < 10 || o.starts < 1 || o.exits < 0 {
		return o, fmt.Errorf("-rounds and -starts must be at least 1, -lines at least 10")
	}
	return o, nil
}

func run(args []string, stdout, stderr io.Writer, getenv func(string) string) error {
	o, err := flags(args, stderr)
	if err != nil {
		return err
	}
	b, err := prepare(o, stderr, getenv)
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	r, err := b.measure(o)
	if err != nil {
		return err
	}
	if o.raw != "" {
		if err := os.WriteFile(o.raw, []byte(r.raw()), 0o666); err != nil {
			return err
		}
	}
	_, err = io.WriteString(stdout, r.markdown())
	return err
}

// prepare finds the programs and makes a scratch folder, which the caller removes.
func prepare(o options, log io.Writer, getenv func(string) string) (*bench, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	wrapper, err := exec.LookPath(o.wrapper)
	if err != nil {
		return nil, fmt.Errorf("-wrapper: %w", err)
	}
	if wrapper, err = filepath.Abs(wrapper); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "cbc-otel-bench-run-")
	if err != nil {
		return nil, err
	}
	b := &bench{self: self, dir: dir, log: log}
	b.wrapper = append([]string{wrapper}, strings.Fields(strings.ReplaceAll(o.args, "DIR", dir))...)
	// No settings of whoever runs this: only what finds programs, and a home of our own. A program with the
	// race detector would sleep for a second at its exit.
	b.env = []string{"PATH=" + getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "GORACE=atexit_sleep_ms=0"}
	if o.nodeRounds > 0 {
		b.node = findNode(dir, log)
	}
	return b, nil
}

// findNode writes the baseline's source into dir and gives its command line, nil without node.
func findNode(dir string, log io.Writer) []string {
	path, err := exec.LookPath("node")
	if err != nil {
		fmt.Fprintln(log, "bench: without the Node baseline:", err)
		return nil
	}
	script := filepath.Join(dir, "baseline.mjs")
	if err := os.WriteFile(script, baseline, 0o600); err != nil {
		fmt.Fprintln(log, "bench: without the Node baseline:", err)
		return nil
	}
	return []string{path, script}
}
