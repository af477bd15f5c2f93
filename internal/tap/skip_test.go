package tap

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"cbc-otel/internal/stream"
	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

// lagging maps a stream with a worker that gets to run between the lines as chance will have it, and
// a queue that is always short of memory. It does all in one goroutine, so a failure can be repeated.
func lagging(in []piece, r *rand.Rand, l limits) (trees []mapping.Tree, late int, skipped int64) {
	q := newQueue(l)
	o := Options{Mapper: newMapper(), OnTree: func(t mapping.Tree) { trees = append(trees, t) }}
	w := worker{o: &o, queue: q, dirty: map[string]time.Time{}}
	step := func() bool {
		i, _ := q.next()
		if i != nil {
			w.handle(i)
		}
		return i != nil
	}
	busy := 0 // the worker is away for so many lines
	var s stream.Splitter
	line := func(line []byte, at time.Time) {
		if !stream.MayMatter(line) {
			return
		}
		q.add(bytes.Clone(line), at)
		if busy--; busy < 0 {
			for range r.IntN(4) {
				step()
			}
			if r.IntN(4) == 0 {
				busy = r.IntN(30)
			}
		}
	}
	for _, p := range in {
		s.WriteMatching(p.bytes, p.at, line)
	}
	s.Flush(end(in).At, line)
	for step() {
	}
	w.settled(o.Mapper.Close(end(in)))
	skipped, dropped := q.counts()
	if dropped > 0 || q.size != 0 || len(q.newest) != 0 {
		panic(fmt.Sprintf("dropped %d, size %d, newest %d", dropped, q.size, len(q.newest)))
	}
	return trees, o.Mapper.Stats().Late, skipped
}

var tight = limits{soft: 0, hard: 1 << 30, tasks: 1 << 10}

// The final trees do not depend on which snapshots were skipped, but for retry events.
func TestSkippingOnCaptures(t *testing.T) {
	t.Parallel()
	var skipped int64
	for _, c := range testdata.Captures() {
		in := pieces(contents(t, c), 5000)
		want, late := plain(in)
		for seed := range uint64(3) {
			trees, gotLate, n := lagging(in, rand.New(rand.NewPCG(seed, 0)), tight)
			if diff := diff(want, trees, false); diff != "" || late != gotLate {
				t.Errorf("%s, seed %d: %d late, want %d, trees (-line by line +skipping):\n%s", c.Name, seed, gotLate, late, diff)
			}
			skipped += n
		}
	}
	if skipped < 100 {
		t.Errorf("%d snapshots skipped: the test shows nothing", skipped)
	}
}

func TestSkippingOnShows(t *testing.T) {
	t.Parallel()
	var skipped int64
	for seed := range uint64(200) {
		skipped += checkSkipping(t, seed)
	}
	if skipped < 1000 {
		t.Errorf("%d snapshots skipped: the test shows nothing", skipped)
	}
}

func FuzzSkipping(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(1000 + seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { checkSkipping(t, seed) })
}

func checkSkipping(t *testing.T, seed uint64) int64 {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	in := newShow(r).play(80)
	want, late := plain(in)
	l := tight
	l.tasks = 1 + r.IntN(4)
	trees, gotLate, skipped := lagging(in, r, l)
	if diff := diff(want, trees, false); diff != "" || late != gotLate {
		t.Fatalf("seed %d: %d late, want %d, trees (-line by line +skipping):\n%s\n%s", seed, gotLate, late, diff, script(in))
	}
	return skipped
}

// show makes streams that follow the protocol, of a few workflows at once, some of which run again,
// are stopped, or tell of their agents late.
type show struct {
	*rand.Rand
	at    time.Time
	tasks []*act
}

// act is one task.
type act struct {
	id     string
	agents []string // the state of each
	tokens int
	phase  int // 0 not started, 1 running, 2 ended
}

func newShow(r *rand.Rand) *show {
	s := &show{Rand: r, at: base}
	for i := range 1 + r.IntN(4) {
		s.tasks = append(s.tasks, &act{id: fmt.Sprintf("t%d", i)})
	}
	return s
}

func (s *show) play(lines int) (in []piece) {
	for range lines {
		s.at = s.at.Add(time.Duration(s.IntN(3)*s.IntN(700)) * time.Millisecond)
		in = append(in, piece{[]byte(s.line(s.tasks[s.IntN(len(s.tasks))]) + "\n"), s.at})
	}
	return in
}

func (s *show) line(a *act) string {
	const system = `{"type":"system","subtype":"`
	switch n := s.IntN(20); {
	case a.phase != 1 && n == 0 || a.phase == 0 && n < 12:
		if a.phase == 2 {
			a.agents = nil
		}
		a.phase = 1
		return system + `task_started","task_id":"` + a.id + `","task_type":"local_workflow","session_id":"s"}`
	case n == 1 && a.phase == 1:
		return system + `task_updated","task_id":"` + a.id + `","patch":{"status":"running"}}`
	case n == 2 && a.phase == 1:
		a.phase = 2
		return system + `task_notification","task_id":"` + a.id + `","status":"` + [...]string{"completed", "failed", "stopped"}[s.IntN(3)] + `"}`
	case n == 3: // "unchanged"
		return system + `task_progress","task_id":"` + a.id + `","usage":{"total_tokens":` + fmt.Sprint(a.tokens) + `}}`
	case n == 4:
		return `{"type":"assistant","message":{}}`
	}
	for range 1 + s.IntN(3) {
		s.change(a)
	}
	var list strings.Builder
	for i, state := range a.agents {
		fmt.Fprintf(&list, `,{"type":"workflow_agent","index":%d,"label":"a%d","state":%q,"queuedAt":%d,"lastProgressAt":%d,"phaseIndex":1}`,
			i+1, i+1, state, base.UnixMilli()+int64(i), s.at.UnixMilli())
	}
	usage := ""
	if a.tokens += s.IntN(3); s.IntN(2) == 0 {
		usage = `,"usage":{"total_tokens":` + fmt.Sprint(a.tokens) + `}`
	}
	return system + `task_progress","task_id":"` + a.id + `"` + usage + `,"workflow_progress":[{"type":"workflow_phase","index":1,"title":"p"}` + list.String() + `],"uuid":"x"}`
}

func (s *show) change(a *act) {
	if i := s.IntN(len(a.agents) + 1); i < len(a.agents) {
		a.agents[i] = [...]string{"start", "done", "error", "done"}[s.IntN(4)]
	} else if len(a.agents) < 8 {
		a.agents = append(a.agents, "start")
	}
}
