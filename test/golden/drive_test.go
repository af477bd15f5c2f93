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
	for _, name := range streams(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := read(t, name)
			times := received(t, name, b)
			if times == nil {
				t.Skip("it is not known when the lines came in")
			}
			o := golden{}.options()
			o.Settled = nil // how well a workflow's time was used depends on when its end was received
			recorded := o
			o.Origin = time.Time{}
			trees := live(b, func(line int) time.Time {
				return times[min(line, len(times)-1)].Truncate(time.Millisecond).Add(fraction)
			}, o, mapping.End{})
			again, _ := replayed(t, b, recorded)
			if err := sameButReceived(masked.String(trees...), spantree.Options{}.String(again...)); err != nil {
				t.Error(err)
			}
		})
	}
}

// received returns when each line of a stream was read, nil when that is not known.
func received(t *testing.T, name string, b []byte) []time.Time {
	t.Helper()
	c, err := testdata.Find(name)
	if err != nil {
		return sent(b)
	}
	offsets, err := c.Times()
	if err != nil {
		t.Fatal(err)
	}
	var all []time.Time
	for i, line := range bytes.Split(b, []byte("\n")) {
		// A message that says when it was made was read right then.
		var m struct{ Timestamp time.Time }
		if json.Unmarshal(line, &m) == nil && !m.Timestamp.IsZero() && i < len(offsets) {
			for _, o := range offsets {
				all = append(all, m.Timestamp.Add(o-offsets[i]))
			}
			break
		}
	}
	return all
}

// sent returns when the lines of a stream of cbc were sent, by their own words; nil if they say nothing.
func sent(b []byte) []time.Time {
	var all []time.Time
	var last time.Time
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		var m struct {
			Timestamp time.Time `json:"__timestamp"`
		}
		if json.Unmarshal(line, &m) == nil && !m.Timestamp.IsZero() {
			last = m.Timestamp
		}
		all = append(all, last)
	}
	if last.IsZero() {
		return nil
	}
	return all
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
