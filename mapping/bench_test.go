package mapping

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

// crowd is a snapshot of n agents in ten phases, with texts as long as real ones.
func crowd(n int) Event {
	ev := Event{Kind: Progress, Received: at(5), TaskID: "t1", SessionID: "s1"}
	for i := range 10 {
		ev.Phases = append(ev.Phases, Phase{Index: int64(i), Title: "phase " + strconv.Itoa(i)})
	}
	for i := range n {
		a := inPhase(int64(i%10), "phase "+strconv.Itoa(i%10), running(int64(i), 1))
		a.ID, a.Model, a.Type, a.LastTool = "a"+strings.Repeat("0123456789abcdef", 1), "claude-sonnet-4-5", "general-purpose", "Bash"
		a.PromptPreview = strings.Repeat("look at module ", 20) + strconv.Itoa(i)
		a.QueuedAt, a.Attempt = at(0), Number{1, true}
		ev.Agents = append(ev.Agents, a)
	}
	return ev
}

func sizes(b *testing.B, f func(b *testing.B, n int)) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			f(b, n)
		})
	}
}

// One agent of n changed, and the snapshot lists that one only.
func BenchmarkOneChanged(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		m := New(Options{})
		m.Observe(started(0))
		all := crowd(n)
		m.Observe(all)
		ev := Event{Kind: Progress, Received: at(6), TaskID: "t1", Agents: make([]Agent, 1)}
		for i := 0; b.Loop(); i++ {
			ev.Agents[0] = all.Agents[i%n]
			ev.Agents[0].Tokens = Number{int64(i), true}
			m.Observe(ev)
		}
	})
}

// The snapshot lists all n agents, one of them changed.
func BenchmarkAllListed(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		m := New(Options{})
		m.Observe(started(0))
		ev := crowd(n)
		for i := 0; b.Loop(); i++ {
			ev.Agents[i%n].Tokens = Number{int64(i), true}
			m.Observe(ev)
		}
	})
}

func BenchmarkTree(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		m := New(Options{})
		m.Observe(started(0))
		m.Observe(crowd(n))
		for b.Loop() {
			if tr, _ := m.Snapshot("t1", time.Time{}); len(tr.Spans) < n {
				b.Fatal("spans are missing")
			}
		}
	})
}

func BenchmarkSanitise(b *testing.B) {
	for name, s := range map[string]string{
		"plain":   strings.Repeat("look at module ", 20),
		"unicode": strings.Repeat("工作流 résumé ", 20),
		"ansi":    strings.Repeat("\x1b[31mred\x1b[0m\n", 20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				sanitise(s)
			}
		})
	}
}
