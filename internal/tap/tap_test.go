package tap

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

const (
	started  = `{"type":"system","subtype":"task_started","task_id":"t1","task_type":"local_workflow","workflow_name":"w","session_id":"s"}` + "\n"
	running  = `{"type":"system","subtype":"task_progress","task_id":"t1","workflow_progress":[{"type":"workflow_agent","index":1,"label":"a","state":"start"}]}` + "\n"
	done     = `{"type":"system","subtype":"task_progress","task_id":"t1","workflow_progress":[{"type":"workflow_agent","index":1,"label":"a","state":"done"}]}` + "\n"
	notified = `{"type":"system","subtype":"task_notification","task_id":"t1","status":"stopped"}` + "\n"
)

// Whatever pieces a stream comes in, the trees are those of its lines taken one by one.
func TestTreesOfCaptures(t *testing.T) {
	t.Parallel()
	for _, c := range testdata.Captures() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			all := contents(t, c)
			for _, n := range []int{700, 64 << 10, 1 << 20} {
				in := pieces(all, n)
				var trees []mapping.Tree
				tap := New(Options{Mapper: newMapper(), OnTree: func(t mapping.Tree) { trees = append(trees, t) }})
				for _, p := range in {
					tap.Write(p.bytes, p.at)
				}
				stats := tap.Close(end(in))
				want, late := plain(in)
				if diff := diff(want, trees, stats.Skipped == 0); diff != "" {
					t.Errorf("in pieces of %d: trees (-line by line +tap):\n%s", n, diff)
				}
				if stats.Bytes != int64(len(all)) || stats.Lines != int64(strings.Count(string(all), "\n")) || stats.Mapping.Late != late || stats.Failure != nil || stats.Dropped > 0 {
					t.Errorf("in pieces of %d: stats %+v", n, stats)
				}
			}
		})
	}
}

// log keeps what a tap reports, for the test to look at.
type log struct {
	mu    sync.Mutex
	trees []mapping.Tree
	when  []time.Time
}

func (l *log) tree(t mapping.Tree) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trees, l.when = append(l.trees, t), append(l.when, time.Now())
}

func (l *log) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.trees)
}

func (l *log) agentState(t *testing.T) any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.trees[0].Spans[1].Attributes {
		if a.Key == mapping.KeyAgentState {
			return a.Value
		}
	}
	return nil
}

// inBubble runs a test with a clock of its own, which starts at base: times before 2001 count as none.
func inBubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(base))
		test(t)
	})
}

func TestGraceEndsByTheClock(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		var l log
		tap := New(Options{Mapper: newMapper(), OnTree: l.tree})
		tap.Write([]byte(started+running+notified), time.Now())
		at := time.Now()
		time.Sleep(grace - time.Second)
		synctest.Wait()
		if l.count() > 0 {
			t.Error("settled before the grace period was over")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if l.count() != 1 {
			t.Fatalf("%d trees after the grace period", l.count())
		}
		if waited := l.when[0].Sub(at); waited < grace || waited > grace+time.Second {
			t.Errorf("settled after %v", waited)
		}
		tap.Write([]byte(done), time.Now())
		stats := tap.Close(mapping.End{})
		if l.count() != 1 || stats.Mapping.Late != 1 {
			t.Errorf("%d trees, %d late snapshots", l.count(), stats.Mapping.Late)
		}
	})
}

func TestLateSnapshotWithinTheGracePeriod(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		var l log
		tap := New(Options{Mapper: newMapper(), OnTree: l.tree})
		tap.Write([]byte(started+running+notified), time.Now())
		time.Sleep(grace - time.Second)
		tap.Write([]byte(done), time.Now())
		synctest.Wait()
		if l.count() != 1 || l.agentState(t) != "done" {
			t.Error("not settled once all agents had ended")
		}
		tap.Close(mapping.End{})
	})
}

// A line that was received in time counts, also when the forwarder was held up after it.
func TestLineHeldUpByASlowConsumer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		var l log
		tap := New(Options{Mapper: newMapper(), OnTree: l.tree})
		tap.Write([]byte(started+running+notified), time.Now())
		received := time.Now().Add(grace - time.Millisecond)
		time.Sleep(grace + slack/2)
		synctest.Wait()
		tap.Write([]byte(done), received)
		stats := tap.Close(mapping.End{})
		if l.count() != 1 || stats.Mapping.Late != 0 || l.agentState(t) != "done" {
			t.Errorf("%d trees, %d late snapshots", l.count(), stats.Mapping.Late)
		}
	})
}

func TestNothingWaitsAfterEOF(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		var l log
		tap := New(Options{Mapper: newMapper(), OnTree: l.tree})
		second := strings.ReplaceAll(started, "t1", "t2")
		tap.Write([]byte(started+second+running+strings.TrimSuffix(notified, "\n")), time.Now())
		at := time.Now()
		time.Sleep(time.Second)
		tap.EOF(time.Now())
		synctest.Wait()
		if l.count() != 1 || l.trees[0].TaskID != "t1" {
			t.Errorf("%d trees at EOF, want the one whose workflow has ended", l.count())
		}
		tap.Write([]byte(done), time.Now()) // none of the stream
		time.Sleep(time.Second)
		stats := tap.Close(mapping.End{Known: true, Code: 7})
		if l.count() != 2 || stats.Lines != 4 {
			t.Fatalf("%d trees, stats %+v", l.count(), stats)
		}
		if got := l.trees[1].Spans[0].End; !got.Equal(at.Add(time.Second)) {
			t.Errorf("the open workflow ends %v after the last line, want 1s: when the stream ended", got.Sub(at))
		}
		if again := tap.Close(mapping.End{}); again != stats || l.count() != 2 {
			t.Errorf("a second Close gives %+v, %d trees", again, l.count())
		}
	})
}

func TestOnStartOnce(t *testing.T) {
	t.Parallel()
	n := 0
	tap := New(Options{Mapper: newMapper(), OnStart: func() { n++ }})
	other := strings.ReplaceAll(started, "local_workflow", "local_bash")
	tap.Write([]byte(other+started+strings.ReplaceAll(started, "t1", "t2")), base)
	if tap.Close(mapping.End{}); n != 1 {
		t.Errorf("called %d times", n)
	}
}

func TestOnChange(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		type change struct {
			task   string
			at, by time.Duration
		}
		start := time.Now()
		var changes []change
		tap := New(Options{Mapper: newMapper(), ChangeEvery: 100 * time.Millisecond, OnChange: func(news []Change, settled []mapping.Tree) {
			for _, c := range news {
				changes = append(changes, change{c.TaskID, c.At.Sub(start), time.Since(start)})
			}
			for _, tree := range settled {
				changes = append(changes, change{"end of " + tree.TaskID, 0, time.Since(start)})
			}
		}})
		write := func(s string) {
			tap.Write([]byte(s), time.Now())
			synctest.Wait()
		}
		write(started)
		time.Sleep(10 * time.Millisecond)
		write(running)
		time.Sleep(10 * time.Millisecond)
		write(done)
		time.Sleep(time.Second)
		write(running)
		time.Sleep(10 * time.Millisecond)
		write(done + notified) // settled: nothing more to tell
		time.Sleep(time.Second)
		tap.Close(mapping.End{})
		const ms = time.Millisecond
		want := []change{{"t1", 0, 0}, {"t1", 20 * ms, 100 * ms}, {"t1", 1020 * ms, 1020 * ms}, {"end of t1", 0, 1030 * ms}}
		if diff := cmp.Diff(want, changes, cmp.AllowUnexported(change{})); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
	})
}

// What is told together was known at one moment: the end of one workflow comes with the news of the others.
func TestOnChangeTogether(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		var told []string
		tap := New(Options{Mapper: newMapper(), ChangeEvery: 100 * time.Millisecond, OnChange: func(news []Change, settled []mapping.Tree) {
			line := ""
			for _, c := range news {
				line += " " + c.TaskID
			}
			for _, tree := range settled {
				line += " end of " + tree.TaskID
			}
			told = append(told, line)
		}, OnTree: func(tree mapping.Tree) { told = append(told, "tree of "+tree.TaskID) }})
		second := func(s string) string { return strings.ReplaceAll(s, "t1", "t2") }
		tap.Write([]byte(started), time.Now())
		synctest.Wait()
		time.Sleep(10 * time.Millisecond)
		tap.Write([]byte(second(started)+running), time.Now())
		synctest.Wait()
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		tap.Write([]byte(second(running)+done+notified), time.Now())
		synctest.Wait()
		tap.Close(mapping.End{})
		want := []string{" t1", " t1 t2", " t2 end of t1", "tree of t1", " end of t2", "tree of t2"}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

// A fault of ours ends the tap, and nothing else.
func TestFaults(t *testing.T) {
	t.Parallel()
	tap := New(Options{Mapper: newMapper(), OnTree: func(mapping.Tree) { panic(errors.New("no tree for you")) }})
	tap.Write([]byte(started+running+notified+done), base)
	for range 100 {
		tap.Write([]byte(started), base)
	}
	stats := tap.Close(mapping.End{})
	if stats.Failure == nil || stats.Failure.Error() != "mapping the stream: no tree for you" {
		t.Errorf("failure %v", stats.Failure)
	}
	if stats.Lines != 104 {
		t.Errorf("%d lines", stats.Lines)
	}
}

// A fault on the forwarder's side leaves it alone too, and what was seen before is settled at the end.
func TestFaultsOfTheHandOver(t *testing.T) {
	t.Parallel()
	var l log
	tap := newTap(Options{Mapper: newMapper(), OnTree: l.tree}, tight)
	tap.Write([]byte(started), base)
	known := func() bool {
		tap.queue.mu.Lock()
		defer tap.queue.mu.Unlock()
		tap.queue.newest = nil // writing to it panics
		return len(tap.queue.tasks) > 0 && tap.queue.size == 0 && !tap.queue.blind
	}
	for deadline := time.Now().Add(time.Minute); !known() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	tap.Write([]byte(running), base)
	tap.Write([]byte(notified), base)
	stats := tap.Close(mapping.End{Known: true})
	if stats.Failure == nil || !strings.HasPrefix(stats.Failure.Error(), "reading the stream: ") {
		t.Errorf("failure %v", stats.Failure)
	}
	if l.count() != 1 || len(l.trees[0].Spans) != 1 {
		t.Errorf("%d trees", l.count())
	}
}

// The worker runs beside the forwarder, with lines of all sizes, and loses none.
func TestConcurrently(t *testing.T) {
	t.Parallel()
	var in []piece
	snapshot := strings.TrimSuffix(running, "]}\n")
	var all strings.Builder
	all.WriteString(started)
	for i := range 200 {
		all.WriteString(snapshot + `,{"type":"workflow_agent","index":2,"state":"start","label":"` + strings.Repeat("x", i*i*4) + `"}]}` + "\n")
		all.WriteString("small talk\n")
	}
	all.WriteString(done + notified)
	in = pieces([]byte(all.String()), 50_000)
	want, _ := plain(in)
	var trees []mapping.Tree
	tap := New(Options{Mapper: newMapper(), OnTree: func(t mapping.Tree) { trees = append(trees, t) }})
	for _, p := range in {
		buf := append([]byte(nil), p.bytes...)
		tap.Write(buf, p.at)
		clear(buf) // as the forwarder's next read does
	}
	stats := tap.Close(end(in))
	if diff := diff(want, trees, true); diff != "" {
		t.Errorf("trees (-line by line +tap):\n%s", diff)
	}
	if stats.Events+stats.Skipped != 203 || stats.Unparsable != 0 {
		t.Errorf("stats %+v", stats)
	}
}
