package stream

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

// known is what a reader of events knows of a task.
type known struct {
	agents map[int64]mapping.Agent
	phases map[int64]mapping.Phase
}

// reader takes in events as a mapper does: what a snapshot does not list is unchanged, and what came
// before task_started counts for nothing.
type reader map[string]known

func (r reader) observe(e mapping.Event) {
	switch e.Kind {
	case mapping.Started:
		r[e.TaskID] = known{map[int64]mapping.Agent{}, map[int64]mapping.Phase{}}
	case mapping.Progress:
		k, ok := r[e.TaskID]
		if !ok {
			return
		}
		for _, a := range e.Agents {
			k.agents[a.Index] = a
		}
		for _, p := range e.Phases {
			k.phases[p.Index] = p
		}
	}
}

// differential reads the lines with a Decoder that sees all of them, and with one for each line, and
// wants the readers of both to know the same after each line. It returns how many entries either has
// decoded.
func differential(t *testing.T, lines [][]byte) (incremental, whole int) {
	t.Helper()
	var d, taking Decoder
	a, b, c := reader{}, reader{}, reader{}
	buf := []byte(nil)
	for i, line := range lines {
		got, verdict := d.Decode(line)
		var fresh Decoder
		want, wantVerdict := fresh.Decode(line)
		buf = append(buf[:0], line...)
		var took mapping.Event
		took, _, buf = taking.DecodeTake(buf)
		if verdict != wantVerdict {
			t.Fatalf("line %d: verdict %v, decoded alone %v: %s", i, verdict, wantVerdict, line)
		}
		a.observe(got)
		b.observe(want)
		c.observe(took)
		for name, r := range map[string]reader{"in order": a, "with DecodeTake": c} {
			if !reflect.DeepEqual(b[want.TaskID], r[want.TaskID]) {
				t.Fatalf("after line %d (-decoded alone +%s):\n%s\n%s", i, name,
					cmp.Diff(b[want.TaskID], r[want.TaskID], cmp.AllowUnexported(known{})), bytes.Join(lines[:i+1], []byte("\n")))
			}
		}
		incremental += len(got.Agents) + len(got.Phases)
		whole += len(want.Agents) + len(want.Phases)
		got.Agents, got.Phases, want.Agents, want.Phases = nil, nil, nil, nil
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("line %d: event (-decoded alone +in order):\n%s", i, cmp.Diff(want, got))
		}
	}
	return incremental, whole
}

func TestIncrementalOnCaptures(t *testing.T) {
	t.Parallel()
	for _, c := range testdata.Captures() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			lines, err := c.Lines()
			if err != nil {
				t.Fatal(err)
			}
			incremental, whole := differential(t, lines)
			if c.Name == "11-150-agents" && incremental > whole/10 {
				t.Errorf("%d entries decoded of %d: nothing is saved", incremental, whole)
			}
		})
	}
}

// The snapshot of a task that was not started yet counts for nothing.
func TestIncrementalStartsOverWithTheTask(t *testing.T) {
	t.Parallel()
	start := []byte(`{"type":"system","subtype":"task_started","task_id":"t1","task_type":"local_workflow"}`)
	progress := []byte(`{"type":"system","subtype":"task_progress","task_id":"t1","workflow_progress":[{"type":"workflow_agent","index":1,"state":"done"}]}`)
	differential(t, [][]byte{progress, start, progress, progress, start, progress})
}

// churn makes streams of snapshots that change from line to line, mostly as those of the CLIs do.
type churn struct {
	*rand.Rand
	entries map[string][]string // by task
	last    int                 // index given
}

func (c *churn) lines(n int) (lines [][]byte) {
	for range n {
		lines = append(lines, []byte(c.line()))
	}
	return lines
}

func (c *churn) line() string {
	task := c.pick("t1", "t1", "t1", "t2")
	if c.IntN(12) == 0 {
		return fmt.Sprintf(`{"type":"system","subtype":"task_started","task_id":%q,"task_type":"local_workflow"}`, task)
	}
	for range c.IntN(4) {
		c.change(task)
	}
	if c.IntN(30) == 0 {
		c.entries[task] = nil
	}
	comma := ","
	if c.IntN(30) == 0 {
		comma = " , "
	}
	list := strings.Join(c.entries[task], comma)
	line := `"type":"system","subtype":"task_progress","task_id":"` + task + `","workflow_progress":[` + list + `]`
	switch c.IntN(30) {
	case 0: // the id comes last
		line = `"workflow_progress":[` + list + `],"type":"system","subtype":"task_progress","task_id":"` + task + `"`
	case 1: // keys twice
		line += c.pick(`,"task_id":"t3"`, `,"type":"assistant"`, `,"subtype":"task_updated"`, `,"workflow_progress":[]`, `,"workflow_progress":null`, `,"workflow_progress":[`+c.entry(3)+`]`)
	case 2: // cut off
		return "{" + line[:c.IntN(len(line))]
	case 3: // broken after the list
		line += `,"x"`
	case 4:
		line = `"type":"system","subtype":"task_progress","task_id":"` + task + `"`
	}
	return "{" + line + c.pick(`,"uuid":"1"`, `,"uuid":"22"`, "") + "}"
}

// change makes one change to the task's entries.
func (c *churn) change(task string) {
	list := append([]string(nil), c.entries[task]...)
	i := c.IntN(len(list) + 1)
	switch {
	case i == len(list) || c.IntN(6) == 0:
		list = append(list[:i:i], append([]string{c.entry(c.index(c.last + 1))}, list[i:]...)...)
	case c.IntN(12) == 0:
		list = append(list[:i:i], list[i+1:]...)
	case c.IntN(20) == 0 && i > 0:
		list[i], list[i-1] = list[i-1], list[i]
	default:
		old := 0
		if _, rest, ok := strings.Cut(list[i], `"index":`); ok {
			fmt.Sscanf(rest, "%d", &old)
		}
		list[i] = c.entry(c.index(old))
	}
	c.entries[task] = list
}

// index is the given one, and seldom another, which may then be there twice.
func (c *churn) index(i int) int {
	if c.IntN(30) == 0 {
		return c.IntN(12)
	}
	c.last = max(c.last, i)
	return i
}

func (c *churn) entry(index int) string {
	switch c.IntN(16) {
	case 0:
		return c.pick(`null`, `"bad"`, `{}`, `[1]`, `7`, `77`, `-7`, `{"type":"unknown"}`, `{"type":"workflow_agent"}`, `[]`)
	case 1, 2:
		return fmt.Sprintf(`{"type":"workflow_phase","index":%d,"title":%q}`, index, c.pick("a", "b]", "},{"))
	case 3:
		return fmt.Sprintf(`{"index":%d,"label":"x","type":"workflow_agent"}`, index)
	}
	return fmt.Sprintf(`{"type":"workflow_agent","index":%d,"label":%q,"state":%q%s}`,
		index, c.pick("l", "long label", `"q"`, "],", "[{"), c.pick("start", "progress", "done", "error"), c.pick(``, `,"tokens":1`, `,"tokens":12`, `,"phaseIndex":1`, ` `))
}

func (c *churn) pick(from ...string) string { return from[c.IntN(len(from))] }

func newChurn(seed uint64) *churn {
	return &churn{rand.New(rand.NewPCG(seed, 1)), map[string][]string{}, 0}
}

func TestIncrementalOnChurn(t *testing.T) {
	t.Parallel()
	var incremental, whole int
	for seed := range uint64(60) {
		i, w := differential(t, newChurn(seed).lines(60))
		incremental, whole = incremental+i, whole+w
	}
	t.Logf("%d entries decoded of %d", incremental, whole)
	if incremental*4 > whole*3 {
		t.Errorf("%d entries decoded of %d: nothing is saved", incremental, whole)
	}
}

// FuzzIncremental lets the fuzzer cut and splice lines of a churning stream.
func FuzzIncremental(f *testing.F) {
	f.Add(uint64(1), 5, 10, 40, "")
	f.Add(uint64(2), 7, 80, 3, `,{"type":"workflow_agent","index":1}`)
	f.Add(uint64(3), 9, 90, 0, `],"workflow_progress":[`)
	f.Fuzz(func(t *testing.T, seed uint64, at, from, length int, splice string) {
		lines := newChurn(seed).lines(12)
		line := lines[abs(at)%len(lines)]
		from = abs(from) % len(line)
		rest := line[min(len(line), from+abs(length)%16):]
		lines[abs(at)%len(lines)] = []byte(string(line[:from]) + splice + string(rest))
		differential(t, append(lines, lines...))
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

// What is kept of snapshots is bounded, however many tasks there are.
func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	var d Decoder
	body := strings.Repeat("x", 10<<10)
	for i := range 1200 {
		line := fmt.Appendf(nil, `{"type":"system","subtype":"task_progress","task_id":"t%d","workflow_progress":[%q]}`, i, body)
		if _, v := d.Decode(line); v != Decoded {
			t.Fatalf("verdict %v", v)
		}
	}
	sum := 0
	for _, e := range d.cache.tasks {
		sum += e.Value.(*kept).cost()
	}
	if sum != d.cache.size || sum > maxCache || len(d.cache.tasks) != d.cache.order.Len() || sum < maxCache/2 {
		t.Errorf("%d tasks kept, of %d bytes, counted as %d", len(d.cache.tasks), sum, d.cache.size)
	}
	if _, ok := d.cache.tasks["t1199"]; !ok {
		t.Error("the newest is not kept")
	}
}

func TestTooManyEntries(t *testing.T) {
	t.Parallel()
	var d Decoder
	line := func(n int) []byte {
		return []byte(`{"type":"system","subtype":"task_progress","task_id":"t1","workflow_progress":[0` + strings.Repeat(",0", n-1) + `]}`)
	}
	if _, v := d.Decode(line(maxEntries)); v != Decoded {
		t.Errorf("at the limit: verdict %v", v)
	}
	if _, v := d.Decode(line(maxEntries + 1)); v != Unparsable {
		t.Errorf("over the limit: verdict %v", v)
	}
}
