package tap

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cbc-otel/mapping"
)

// stalled is a tap whose worker does nothing once a workflow has started, until it is released.
func stalled(t *testing.T) (tap *Tap, release func()) {
	t.Helper()
	begun, gate := make(chan bool), make(chan bool)
	tap = newTap(Options{Mapper: newMapper(), OnStart: func() { close(begun); <-gate }}, defaultLimits)
	tap.Write([]byte(started), base)
	select {
	case <-begun:
	case <-time.After(time.Minute):
		t.Fatal("the worker never began")
	}
	return tap, func() { close(gate) }
}

func (q *queue) memory() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	sum, items := 0, 0
	for _, l := range []*list{&q.unsorted, &q.snapshots, &q.events} {
		for i := l.first; i != nil; i = i.next {
			sum += i.cost()
			items++
		}
	}
	if sum != q.size || len(q.newest) > items {
		panic(fmt.Sprintf("counted %d, holds %d; %d newest of %d", q.size, sum, len(q.newest), items))
	}
	return sum
}

// Whatever comes while the worker stalls, memory is bounded, the forwarder goes on, and what is lost is
// counted.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	big := `"` + strings.Repeat("x", 300<<10) + `"`
	for name, tt := range map[string]struct {
		line    func(i int) string
		lines   int
		most    int // bytes that may wait
		dropped bool
	}{
		"snapshots of a workflow": {
			line: func(i int) string {
				return fmt.Sprintf(`{"type":"system","subtype":"task_progress","task_id":"t1","workflow_progress":[%s,%d]}`, big, i)
			},
			lines: 100, most: defaultLimits.soft + 1<<20,
		},
		"snapshots of unknown tasks": {
			line: func(i int) string {
				return fmt.Sprintf(`{"type":"system","subtype":"task_progress","task_id":"u%d","workflow_progress":[]}`, i)
			},
			lines: 100_000, most: defaultLimits.soft + 1<<10,
		},
		"snapshots of fifty workflows": {
			line: func(i int) string {
				if i < 50 {
					return fmt.Sprintf(`{"type":"system","subtype":"task_started","task_id":"t%d","task_type":"local_workflow"}`, i)
				}
				return fmt.Sprintf(`{"type":"system","subtype":"task_progress","task_id":"t%d","workflow_progress":[%s]}`, i%50, big)
			},
			lines: 150, most: 51 * 310 << 10,
		},
		"tasks that start": {
			line: func(i int) string {
				return fmt.Sprintf(`{"type":"system","subtype":"task_started","task_id":"t%d","task_type":"local_workflow"}`, i)
			},
			lines: 100_000, most: defaultLimits.hard, dropped: true,
		},
		"snapshots after the end": {
			line: func(i int) string {
				if i == 0 {
					return strings.TrimSpace(notified)
				}
				return fmt.Sprintf(`{"type":"system","subtype":"task_progress","task_id":"t1","workflow_progress":[%s]}`, big)
			},
			lines: 150, most: defaultLimits.hard, dropped: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tap, release := stalled(t)
			for i := range tt.lines {
				tap.Write([]byte(tt.line(i)+"\n"), base)
				if i%9973 == 0 || tt.lines < 1000 {
					if n := tap.queue.memory(); n > tt.most {
						t.Fatalf("%d bytes wait after %d lines, want at most %d", n, i, tt.most)
					}
				}
			}
			release()
			stats := tap.Close(mapping.End{})
			if got := stats.Events + stats.Skipped + stats.Dropped; got != int64(tt.lines)+1 {
				t.Errorf("%d lines are accounted for, want %d: %+v", got, tt.lines+1, stats)
			}
			if (stats.Dropped > 0) != tt.dropped {
				t.Errorf("%d lines dropped", stats.Dropped)
			}
			if len(tap.queue.tasks) > defaultLimits.tasks {
				t.Errorf("%d tasks are told apart", len(tap.queue.tasks))
			}
		})
	}
}

// A flood of lines for tasks nobody knows does not cost a workflow its last snapshot or its end.
func TestFloodDoesNotTouchWorkflows(t *testing.T) {
	t.Parallel()
	var trees []mapping.Tree
	begun, gate := make(chan bool), make(chan bool)
	tap := newTap(Options{
		Mapper: newMapper(), OnStart: func() { close(begun); <-gate },
		OnTree: func(t mapping.Tree) { trees = append(trees, t) },
	}, limits{soft: 10_000, hard: 40_000, tasks: 100})
	tap.Write([]byte(started), base)
	<-begun
	flood := func(n int) {
		for i := range n {
			fmt.Fprintf(writer{tap}, `{"type":"system","subtype":"task_progress","task_id":"u%d","workflow_progress":[]}`+"\n", i)
		}
	}
	flood(1000)
	tap.Write([]byte(running), base)
	flood(1000)
	tap.Write([]byte(done), base)
	flood(1000)
	tap.Write([]byte(notified), base)
	flood(1000)
	close(gate)
	stats := tap.Close(mapping.End{})
	if len(trees) != 1 || len(trees[0].Spans) != 2 || stats.Dropped != 0 || stats.Mapping.Agents != 1 {
		t.Errorf("%d trees, stats %+v", len(trees), stats)
	}
	if got := stats.Events + stats.Skipped; got != 4004 || stats.Skipped < 3000 {
		t.Errorf("%d lines are accounted for: %+v", got, stats)
	}
}

type writer struct{ tap *Tap }

func (w writer) Write(p []byte) (int, error) {
	w.tap.Write(p, base)
	return len(p), nil
}

// Agents that only skipped snapshots showed first were there when the first of them came.
func TestFirstSeen(t *testing.T) {
	t.Parallel()
	var trees []mapping.Tree
	begun, gate := make(chan bool), make(chan bool)
	tap := newTap(Options{
		Mapper: newMapper(), OnStart: func() { close(begun); <-gate },
		OnTree: func(t mapping.Tree) { trees = append(trees, t) },
	}, tight)
	tap.Write([]byte(started), base)
	<-begun
	for i := 1; i < 10; i++ {
		tap.Write([]byte(running), base.Add(time.Duration(i)*time.Second))
	}
	tap.Write([]byte(notified), base.Add(10*time.Second))
	close(gate)
	stats := tap.Close(mapping.End{At: base.Add(11 * time.Second)})
	if stats.Skipped != 8 {
		t.Fatalf("stats %+v", stats)
	}
	if got := trees[0].Spans[1].Start; !got.Equal(base.Add(time.Second)) {
		t.Errorf("the agent was first seen %v after the start, want 1s", got.Sub(base))
	}
}
