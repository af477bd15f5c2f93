package tap

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/internal/stream"
	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

const grace = 5 * time.Second

// base is when the streams of the tests begin.
var base = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// piece is what the forwarder reads at once.
type piece struct {
	bytes []byte
	at    time.Time
}

// pieces cuts a stream in pieces of n bytes, a millisecond apart.
func pieces(all []byte, n int) (out []piece) {
	for at := base; len(all) > 0; at = at.Add(time.Millisecond) {
		out = append(out, piece{all[:min(n, len(all))], at})
		all = all[min(n, len(all)):]
	}
	return out
}

// script shows pieces for the message of a failure.
func script(in []piece) string {
	var text strings.Builder
	for _, p := range in {
		fmt.Fprintf(&text, "%v %s", p.at.Sub(base), p.bytes)
	}
	return text.String()
}

// contents reads a capture.
func contents(t *testing.T, c testdata.Capture) []byte {
	t.Helper()
	all, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func newMapper() *mapping.Mapper { return mapping.New(mapping.Options{Grace: grace, Content: true}) }

// end is how the streams of the tests end.
func end(in []piece) mapping.End {
	at := base
	if len(in) > 0 {
		at = in[len(in)-1].at
	}
	return mapping.End{At: at.Add(time.Minute), Known: true, Code: 3}
}

// plain maps a stream without a tap: each line in turn, decoded alone.
func plain(in []piece) (trees []mapping.Tree, late int) {
	m := newMapper()
	var s stream.Splitter
	line := func(line []byte, at time.Time) {
		var d stream.Decoder
		if e, v := d.Decode(line); v == stream.Decoded {
			e.Received = at
			trees = append(trees, m.Observe(e)...)
		}
	}
	for _, p := range in {
		s.Write(p.bytes, p.at, line)
	}
	s.Flush(end(in).At, line)
	trees = append(trees, m.Close(end(in))...)
	return trees, m.Stats().Late
}

// byTask orders trees, and takes their retry events off if those may be missing.
func byTask(trees []mapping.Tree, retries bool) map[string][]mapping.Tree {
	out := map[string][]mapping.Tree{}
	for _, t := range trees {
		for i := range t.Spans {
			if !retries { // what is known of earlier attempts goes the same way
				t.Spans[i].Events = withoutRetries(t.Spans[i].Events)
				ids := t.Spans[i].AgentIDs
				t.Spans[i].AgentIDs = ids[max(0, len(ids)-1):]
			}
		}
		out[t.TaskID] = append(out[t.TaskID], t)
	}
	return out
}

func withoutRetries(events []mapping.SpanEvent) (out []mapping.SpanEvent) {
	for _, e := range events {
		if e.Name != mapping.EventRetry {
			out = append(out, e)
		}
	}
	return out
}

// diff is how the trees of each task differ, "" if they do not.
func diff(want, got []mapping.Tree, retries bool) string {
	w, g := byTask(want, retries), byTask(got, retries)
	if reflect.DeepEqual(w, g) { // much faster
		return ""
	}
	return cmp.Diff(w, g)
}
