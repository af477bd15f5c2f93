//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cbc-otel/exporter/otlpjson"
	"cbc-otel/internal/otlptest"
	"cbc-otel/internal/replay"
	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

// TestKill kills the program at random points of a stream. What it exported before and what recover exports after
// must be the trees of a prefix of the stream, one that ended shortly before the kill. CBC_OTEL_KILLS sets how often.
func TestKill(t *testing.T) {
	t.Parallel()
	kills := 12
	strict := false // a busy machine may hold the journal up for longer than it says
	if n, err := strconv.Atoi(os.Getenv("CBC_OTEL_KILLS")); err == nil {
		kills, strict = n, true
	}
	var stream []byte
	for _, name := range []string{"06-two-concurrent", "latest-08-resume", "13b-stall-retry"} {
		c, err := testdata.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		stream = append(stream, data...)
	}
	prefixes := prefixTrees(t, stream)
	file := filepath.Join(t.TempDir(), "stream.ndjson")
	if err := os.WriteFile(file, stream, 0o600); err != nil {
		t.Fatal(err)
	}
	length := time.Duration(len(prefixes)) * playPause
	random := rand.New(rand.NewPCG(1, 2))
	recovered := 0
	for i := range kills {
		after := time.Duration(random.Int64N(int64(length)))
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			k := killAfter(t, file, after)
			got := fingerprints(k.spans)
			at := -1
			for n := len(prefixes) - 1; n >= 0; n-- {
				if prefixes[n] == got {
					at = n
					break
				}
			}
			if at < 0 {
				t.Fatalf("killed after %v: not the trees of any prefix:\n%s", after, got)
			}
			// The prefix ends with line number at; the line after it came at the latest when the kill was near.
			if at+1 < len(k.lines) {
				lag := k.at.Sub(k.lines[at+1])
				if limit := 250 * time.Millisecond; lag > limit && strict || lag > 40*limit {
					t.Errorf("killed after %v: line %d was forwarded %v before the kill and is not in the trees", after, at+2, lag)
				}
			}
			recovered += k.recovered
		})
	}
	if recovered == 0 {
		t.Error("no workflow was ever recovered")
	}
}

// killed is what was seen of a run that was killed.
type killed struct {
	at        time.Time
	lines     []time.Time // when each whole line was read from the wrapper
	spans     []otlptest.Span
	recovered int
}

func killAfter(t *testing.T, stream string, after time.Duration) (k killed) {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "out.jsonl")
	env := append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+dir)
	run := exec.Command("cbc-otel", "--exporter", "file", "--file", out, "--", "player", stream)
	run.Env = env
	stdout, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	timer := time.AfterFunc(after, func() {
		k.at = time.Now()
		_ = run.Process.Signal(syscall.SIGKILL)
	})
	defer timer.Stop()
	reader := bufio.NewReader(stdout)
	for {
		if _, err := reader.ReadBytes('\n'); err != nil {
			break
		}
		k.lines = append(k.lines, time.Now())
	}
	_ = run.Wait()
	if k.at.IsZero() {
		k.at = begun.Add(after) // it had ended before
	}

	rec := exec.Command("cbc-otel", "recover", "--exporter", "file", "--file", out)
	rec.Env = env
	said, err := rec.CombinedOutput()
	if err != nil {
		t.Fatalf("recover: %v\n%s", err, said)
	}
	if _, err := fmt.Sscanf(string(said), "recovered %d", &k.recovered); err != nil {
		t.Fatalf("recover said %q", said)
	}
	k.spans = readSpans(t, out)

	rec = exec.Command("cbc-otel", "recover", "--exporter", "file", "--file", out)
	rec.Env = env
	if said, err := rec.CombinedOutput(); err != nil || !strings.HasPrefix(string(said), "recovered 0 workflows") {
		t.Fatalf("recovering twice: %v\n%s", err, said)
	}
	return k
}

func readSpans(t *testing.T, file string) (spans []otlptest.Span) {
	t.Helper()
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil // killed before the first workflow
	} else if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		traces, err := otlpjson.Unmarshal(bytes.TrimRight(line, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		spans = append(spans, otlptest.Flatten(traces)...)
	}
	return spans
}

// fingerprints lists the spans, each once, without times: those of what was open depend on when it was killed.
func fingerprints(spans []otlptest.Span) string {
	lines := map[string]bool{}
	for _, s := range spans {
		var b strings.Builder
		fmt.Fprintf(&b, "%s under %s: %s %v %q", s.ID(), hex.EncodeToString(s.ParentSpanId), s.Name, s.Status.GetCode(), s.Status.GetMessage())
		for _, a := range s.Attributes {
			if strings.HasPrefix(a.Key, "cbc.insight.") {
				continue // made of the times, and only of what was settled
			}
			fmt.Fprintf(&b, " %s=%s", a.Key, otlptest.Text(a.Value))
		}
		for _, e := range s.Events {
			fmt.Fprintf(&b, " +%s", e.Name)
		}
		lines[b.String()] = true
	}
	return strings.Join(sorted(lines), "\n")
}

func sorted[K cmp.Ordered](set map[K]bool) []K {
	var all []K
	for k := range set {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// prefixTrees gives the fingerprints of the trees of every prefix of whole lines, by the number of lines less one.
func prefixTrees(t *testing.T, stream []byte) (all []string) {
	t.Helper()
	end := 0
	for line := range bytes.Lines(stream) {
		end += len(line)
		var trees []mapping.Tree
		options := mapping.Options{ParentMode: "child", Grace: 5 * time.Second}
		_, err := replay.Run(bytes.NewReader(stream[:end]), replay.Options{Mapping: options, OnTree: func(t mapping.Tree) { trees = append(trees, t) }})
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		all = append(all, fingerprints(asExported(t, trees)))
	}
	return all
}

// asExported sends trees through the file exporter.
func asExported(t *testing.T, trees []mapping.Tree) []otlptest.Span {
	t.Helper()
	if len(trees) == 0 {
		return nil
	}
	out := filepath.Join(t.TempDir(), "expected.jsonl")
	exportTo(t, out, trees)
	return readSpans(t, out)
}
