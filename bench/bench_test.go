//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is also the bench's children, and a wrapper to measure.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == role:
		if err := child(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case len(os.Args) > 2 && os.Args[1] == "pass-through":
		os.Exit(passThrough(os.Args[2:]))
	default:
		goleak.VerifyTestMain(m)
	}
}

// passThrough forwards the stdout of a command; with LOSE=1 as its first argument all but one byte.
func passThrough(argv []string) int {
	lose := argv[0] == "LOSE=1"
	if lose {
		argv = argv[1:]
	}
	c := exec.Command(argv[0], argv[1:]...)
	c.Stdin = os.Stdin
	out, err := c.StdoutPipe()
	if err != nil || c.Start() != nil {
		return 127
	}
	if lose {
		out.Read(make([]byte, 1))
	}
	io.Copy(os.Stdout, out)
	if c.Wait() != nil {
		return 1
	}
	return 0
}

func tiny(t *testing.T, args string) ([]string, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	raw := filepath.Join(t.TempDir(), "raw.txt")
	return []string{
		"-wrapper", self, "-args", args, "-cache", t.TempDir(), "-raw", raw, "-streams", "cbc-10", "-mapping", "",
		"-rounds", "2", "-node-rounds", "0", "-lines", "50", "-starts", "2", "-exits", "0",
	}, raw
}

// A whole run, as small as it gets.
func TestRun(t *testing.T) {
	t.Parallel()
	args, raw := tiny(t, "pass-through")
	var stdout, stderr bytes.Buffer
	if err := run(args, &stdout, &stderr, os.Getenv); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	for _, want := range []string{
		"| latency of a 1 KB line against `cat`, p50 | ", "| growth from 100 to 1,000 agents, CPU per byte, cbc |",
		"| start and exit, `-- true` over bare `true` | ", "\n| cbc-10 | 0.0 | ", "\n- cbc-10: a workflow of 10 agents, cbc flavour\n",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("report lacks %q:\n%s", want, &stdout)
		}
	}
	samples, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"BenchmarkStream/cbc-10/bare 1 ", "BenchmarkStream/cbc-10/cat 1 ", "BenchmarkStream/cbc-10/wrapper 1 ", "BenchmarkLatency/wrapper/p999 1 ", "BenchmarkStart/wrapper 1 "} {
		if got := strings.Count(string(samples), "\n"+want); got != 2 {
			t.Errorf("%d samples of %q, want 2", got, want)
		}
	}
}

// A program that forwards nothing is not measured as if it did.
func TestExitsOfNothing(t *testing.T) {
	t.Parallel()
	args, _ := tiny(t, "pass-through")
	o, err := flags(args, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	b, err := prepare(o, io.Discard, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(b.dir)
	b.wrapper = []string{"true"}
	if _, err := b.exits("grpc", 1, time.Millisecond); err == nil || !strings.Contains(err.Error(), "the command's time did not come through") {
		t.Errorf("error %v", err)
	}
}

// A workflow is a whole stream, and then the time.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	var out, stream bytes.Buffer
	if err := workflow("1", &out); err != nil {
		t.Fatal(err)
	}
	if err := generateTo(&stream, "cbc-10", 1); err != nil {
		t.Fatal(err)
	}
	rest, ok := strings.CutPrefix(out.String(), stream.String())
	if _, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64); !ok || err != nil {
		t.Errorf("after the stream: %q", rest)
	}
}

func TestRunFailures(t *testing.T) {
	t.Parallel()
	args, _ := tiny(t, "pass-through LOSE=1")
	if err := run(args, io.Discard, io.Discard, os.Getenv); err == nil || !strings.Contains(err.Error(), "came through") {
		t.Errorf("a byte is lost: error %v", err)
	}
	args, _ = tiny(t, "pass-through /no/such/wrapper")
	if err := run(args, io.Discard, io.Discard, os.Getenv); err == nil || !strings.Contains(err.Error(), "exit status 127") {
		t.Errorf("the wrapper fails: error %v", err)
	}
	for args, want := range map[string]string{
		"-wrapper /no/such/program": "-wrapper: ",
		"-rounds 0":                 "-rounds and -starts must be at least 1, -lines at least 10",
		"more":                      `unexpected argument "more"`,
	} {
		if err := run(strings.Fields(args), io.Discard, io.Discard, os.Getenv); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", args, err, want)
		}
	}
}

// The Node baseline understands what is generated.
func TestBaseline(t *testing.T) {
	t.Parallel()
	argv := findNode(t.TempDir(), io.Discard)
	if argv == nil {
		t.Skip("no node")
	}
	for _, stream := range []string{"cbc-10", "claude-10"} {
		var in, out bytes.Buffer
		if err := generateTo(&in, stream, 1); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(&in, "not JSON")
		c := exec.Command(argv[0], argv[1:]...)
		c.Stdin, c.Stdout, c.Stderr = &in, &out, &out
		if err := c.Run(); err != nil || !strings.Contains(out.String(), `"unparsable":1,"workflows":1,"agents":10,`) {
			t.Errorf("%s: %v, %s", stream, err, &out)
		}
	}
	if err := checkBaseline(strings.NewReader(`{"lines":3,"unparsable":1,"workflows":1,"agents":1}`)); err == nil {
		t.Error("a baseline that cannot parse a line passes")
	}
}

func TestEcho(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	before := time.Now()
	if err := echo(strings.NewReader("\n\n"), &out); err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(out.Bytes()) {
		at, err := echoTime(line)
		if err != nil || at.Before(before.Add(-time.Microsecond)) || at.After(time.Now()) {
			t.Errorf("%s, %v", at, err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d lines, want 2", n)
	}
	if _, err := echoTime([]byte("{\"at\":\n")); err == nil {
		t.Error("no error for another line")
	}
}

func TestSumInits(t *testing.T) {
	t.Parallel()
	trace := "init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs\ncbc-otel: hello\ninit runtime @0.1 ms, 0.25 ms clock, 336 bytes, 6 allocs\ninit main @1.1 ms, 1.5 ms clock, 0 bytes, 0 allocs\n"
	if sum, n := sumInits(trace); sum != 1750*time.Microsecond || n != 3 {
		t.Errorf("%s of %d, want 1.75ms of 3", sum, n)
	}
}

func TestBenchTimes(t *testing.T) {
	t.Parallel()
	out := "goos: linux\nBenchmarkX-2   \t    1000\t     12345 ns/op\t 16 B/op\nBenchmarkX   10  1.5 ns/op\nBenchmarkXY-2  5  7 ns/op\nPASS\n"
	if got := benchTimes(out, "BenchmarkX"); !slices.Equal(got, []time.Duration{12345, 1}) {
		t.Errorf("got %v", got)
	}
	if got := benchTimes("BenchmarkX/10-2 1 5 ns/op\nBenchmarkX/1000-2 1 7 ns/op\n", "BenchmarkX/10"); !slices.Equal(got, []time.Duration{5}) {
		t.Errorf("got %v", got)
	}
}
