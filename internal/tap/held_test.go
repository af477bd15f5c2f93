package tap

import (
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

// allBig has every line treated as a big one.
var allBig = limits{soft: 1 << 30, big: 1, hard: 1 << 30, tasks: 1 << 10}

func tapped(in []piece, l limits) ([]mapping.Tree, Stats) {
	var trees []mapping.Tree
	tap := newTap(Options{Mapper: newMapper(), OnTree: func(t mapping.Tree) { trees = append(trees, t) }}, l)
	for _, p := range in {
		tap.Write(p.bytes, p.at)
	}
	tap.EOF(end(in).At)
	return trees, tap.Close(end(in))
}

// Of the snapshots of a task in one piece only the last is handled, unless something else comes between.
func TestReplacedInOnePiece(t *testing.T) {
	t.Parallel()
	const usage = `{"type":"system","subtype":"task_progress","task_id":"t1","usage":{"total_tokens":7}}` + "\n"
	const talk = `{"type":"assistant","message":{}}` + "\n"
	other := strings.ReplaceAll(running, "t1", "t2")
	for name, tt := range map[string]struct {
		piece   string
		skipped int64
	}{
		"one after the other":  {started + running + running + done, 2},
		"talk between":         {started + running + talk + done, 1},
		"the end between":      {started + running + notified + done, 0},
		"another task between": {started + running + other + done, 0},
		"no snapshot":          {started + running + usage, 0},
		"before they start":    {running + running + started + done, 0},
		"after the end":        {started + notified + done + running, 0},
		"half a line":          {started + running[:50], 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := []piece{{[]byte(tt.piece), base}}
			trees, stats := tapped(in, allBig)
			want, _ := plain(in)
			if diff := diff(want, trees, false); diff != "" {
				t.Errorf("trees (-line by line +tap):\n%s", diff)
			}
			if stats.Skipped < tt.skipped || stats.Failure != nil {
				t.Errorf("stats %+v, want %d skipped", stats, tt.skipped)
			}
		})
	}
}

// The final trees do not depend on what was replaced in its piece, but for retry events.
func TestReplacedInPieces(t *testing.T) {
	t.Parallel()
	var skipped int64
	for _, c := range testdata.Captures() {
		skipped += checkReplacing(t, pieces(contents(t, c), 20_000))
	}
	for seed := range uint64(50) {
		skipped += checkReplacing(t, showPieces(seed, 2000))
	}
	if skipped < 100 {
		t.Errorf("%d snapshots skipped: the test shows nothing", skipped)
	}
}

func FuzzReplacing(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(2000+seed, uint16(500*seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size uint16) { checkReplacing(t, showPieces(seed, 1+int(size))) })
}

// showPieces is a show in pieces of n bytes.
func showPieces(seed uint64, n int) []piece {
	var all []byte
	for _, p := range newShow(rand.New(rand.NewPCG(seed, 3))).play(80) {
		all = append(all, p.bytes...)
	}
	return pieces(all, n)
}

func checkReplacing(t *testing.T, in []piece) int64 {
	t.Helper()
	trees, stats := tapped(in, allBig)
	want, _ := plain(in)
	if diff := diff(want, trees, false); diff != "" {
		t.Fatalf("trees (-line by line +tap):\n%s\n%.4000s", diff, script(in))
	}
	return stats.Skipped
}

// After a big snapshot the worker leaves the next one alone for a moment, but the end of the stream does not wait.
func TestRest(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		var news atomic.Int64
		tap := newTap(Options{Mapper: newMapper(), OnChange: func(all []Change, _ []mapping.Tree) { news.Add(int64(len(all))) }}, allBig)
		for range 3 {
			tap.Write([]byte(started), time.Now())
			synctest.Wait()
			tap.Write([]byte(running), time.Now())
			time.Sleep(rest)
			synctest.Wait()
		}
		time.Sleep(2 * rest)
		synctest.Wait()
		before := news.Load()
		tap.Write([]byte(running), time.Now())
		synctest.Wait()
		tap.Write([]byte(done), time.Now())
		synctest.Wait()
		if news.Load() != before+1 {
			t.Errorf("%d were handled at once, want the first", news.Load()-before)
		}
		time.Sleep(rest)
		synctest.Wait()
		if news.Load() != before+2 {
			t.Errorf("%d were handled after the rest, want both", news.Load()-before)
		}
		begun := time.Now()
		tap.Write([]byte(running), begun)
		if tap.Close(mapping.End{}); !time.Now().Equal(begun) {
			t.Errorf("the end took %v", time.Since(begun))
		}
	})
}

// Small lines cost no rest, although a big one that came after them has had them sorted.
func TestNoRestAfterSmallLines(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		l := allBig
		l.big = 1 << 10
		big := strings.Replace(running, `"label":"a"`, `"label":"`+strings.Repeat("a", l.big)+`"`, 1)
		var news atomic.Int64
		tap := newTap(Options{Mapper: newMapper(), OnChange: func(all []Change, _ []mapping.Tree) { news.Add(int64(len(all))) }}, l)
		tap.Write([]byte(started), time.Now())
		tap.Write([]byte(big), time.Now())
		synctest.Wait()
		before := news.Load()
		const updated = `{"type":"system","subtype":"task_updated","task_id":"t1","patch":{"status":"running"}}` + "\n"
		const small = 50
		tap.Write([]byte(strings.Repeat(updated, small)+big), time.Now())
		time.Sleep(rest)
		synctest.Wait()
		if got := news.Load() - before; got != small+1 {
			t.Errorf("%d of %d lines were handled after one rest", got, small+1)
		}
		tap.Close(mapping.End{})
	})
}
