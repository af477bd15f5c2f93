package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"cbc-otel/internal/replay"
	"cbc-otel/internal/spantree"
	"cbc-otel/internal/stream"
	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

// replayed maps a stream as if it was read from a file.
func replayed(t *testing.T, b []byte, o mapping.Options) ([]mapping.Tree, mapping.Stats) {
	t.Helper()
	var trees []mapping.Tree
	stats, err := replay.Run(bytes.NewReader(b), replay.Options{
		Mapping: o,
		OnTree:  func(tree mapping.Tree) { trees = append(trees, tree) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return trees, stats.Mapping
}

// live maps a stream as if its lines came in at the given times. The program ends as it says, right after the last.
func live(b []byte, at func(line int) time.Time, o mapping.Options, end mapping.End) []mapping.Tree {
	var (
		trees    []mapping.Tree
		splitter stream.Splitter
		decoder  stream.Decoder
		m        = mapping.New(o)
	)
	one := func(line []byte, at time.Time) {
		e, verdict := decoder.Decode(line)
		if verdict != stream.Decoded {
			return
		}
		e.Received = at
		trees = append(trees, m.Observe(e)...)
	}
	last := 0
	for i, line := range bytes.SplitAfter(b, []byte("\n")) {
		splitter.Write(line, at(i), one)
		last = i
	}
	splitter.Flush(at(last), one)
	end.At = at(last)
	return append(trees, m.Close(end)...)
}

// A live run gives the tree of a replay, but for the times at which bytes were read.
func TestLiveEqualsReplay(t *testing.T) {
	t.Parallel()
	// Received times get a fraction of a millisecond, which nothing in a stream has, to tell them apart.
	const fraction = 12345 * time.Nanosecond
	masked := spantree.Options{Masked: func(t time.Time) bool { return t.Nanosecond()%int(time.Millisecond) != 0 }}
	for _, c := range testdata.Captures() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			times, err := c.Times()
			if err != nil {
				t.Fatal(err)
			}
			if times == nil {
				t.Skip("no receive times were recorded")
			}
			b := read(t, c.Name)
			first := firstRead(t, b, times).Truncate(time.Millisecond)
			o := golden{}.options()
			o.Origin = time.Time{}
			trees := live(b, func(line int) time.Time {
				return first.Add(times[min(line, len(times)-1)].Truncate(time.Millisecond) + fraction)
			}, o, mapping.End{})
			again, _ := replayed(t, b, golden{}.options())
			if err := sameButReceived(masked.String(trees...), spantree.Options{}.String(again...)); err != nil {
				t.Error(err)
			}
		})
	}
}

// firstRead returns when the first line of a recorded stream was read: a line that says when it was made was read
// right then.
func firstRead(t *testing.T, b []byte, times []time.Duration) time.Time {
	t.Helper()
	for i, line := range bytes.Split(b, []byte("\n")) {
		var m struct{ Timestamp time.Time }
		if json.Unmarshal(line, &m) == nil && !m.Timestamp.IsZero() {
			return m.Timestamp.Add(-times[i])
		}
	}
	t.Fatal("no line has a timestamp")
	return time.Time{}
}

// offset is what a tree's text counts from its start, which may be a received time.
var offset = regexp.MustCompile(` [+-][0-9.]+ms$`)

// sameButReceived compares two texts line by line. In the first, a time may be "received" instead; in the second a
// workflow may start earlier, as a replay does not know when a later task_started was read, only what came before.
func sameButReceived(live, replay string) error {
	got, want := strings.Split(live, "\n"), strings.Split(replay, "\n")
	if len(got) != len(want) {
		return fmt.Errorf("%d lines live, %d in replay:\n%s", len(got), len(want), live)
	}
	for i := range got {
		g, w := offset.ReplaceAllString(got[i], ""), offset.ReplaceAllString(want[i], "")
		before, isTime := strings.CutSuffix(g, "received")
		earlier := strings.HasPrefix(g, "    start ") && strings.HasPrefix(w, "    start ") && w < g
		if g != w && !earlier && !(isTime && strings.HasPrefix(w, before)) {
			return fmt.Errorf("line %d is live\n%s\nin replay\n%s", i+1, got[i], want[i])
		}
	}
	return nil
}
