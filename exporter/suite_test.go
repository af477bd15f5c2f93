package exporter_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/internal/otlptest"
	"cbc-otel/mapping"
)

// end is a place spans are exported to, for the suite below: options that lead there, the ids of what arrived, and a
// way to break it.
type end struct {
	options exporter.Options
	ids     func() []string // nil: it cannot be read back
	broken  exporter.Options
}

// ends has an entry for every exporter there is; TestSuiteIsComplete sees to that.
var ends = map[string]func(*testing.T) end{
	"otlp": func(t *testing.T) end {
		r := otlptest.New(t, otlptest.Config{})
		e := end{ids: func() []string { return slices.Sorted(maps.Keys(r.Count())) }}
		e.options, _ = toReceiver(t, r.GRPCURL(), exporter.ProtocolGRPC)
		e.broken, _ = toReceiver(t, "http://"+otlptest.Refused, exporter.ProtocolHTTP)
		e.broken.OTLP.Timeout = time.Second
		return e
	},
	"file": func(t *testing.T) end {
		o, path := toFile(t)
		e := end{options: o, ids: func() []string {
			var all []string
			for _, s := range readFile(t, path) {
				all = append(all, s.ID())
			}
			return all
		}}
		e.broken, _ = toFile(t)
		e.broken.File = filepath.Join(t.TempDir(), "none", "out")
		return e
	},
	"console": func(t *testing.T) end {
		var e end
		e.options, _ = toConsole(t)
		e.broken, _ = toConsole(t)
		e.broken.Console.Out = broken{}
		return e
	},
}

func TestSuiteIsComplete(t *testing.T) {
	t.Parallel()
	for _, name := range exporter.Names() {
		if name != exporter.None && ends[name] == nil {
			t.Errorf("the suite does not know the exporter %s", name)
		}
	}
}

// What holds for every exporter.
func TestSuite(t *testing.T) {
	t.Parallel()
	for name, at := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite(t, at)
		})
	}
}

func suite(t *testing.T, at func(*testing.T) end) {
	t.Run("all spans", func(t *testing.T) {
		t.Parallel()
		e := at(t)
		trees := append(numbered(20, 7), tree(100, 1000))
		r := one(t, run(t, e.options, hang, trees...))
		if r.Exported != 20*9+1002 {
			t.Errorf("report %+v", r)
		}
		if e.ids == nil {
			return
		}
		got := e.ids()
		slices.Sort(got)
		if want := ids(trees...); !slices.Equal(got, want) {
			t.Errorf("%d spans, want %d", len(got), len(want))
		}
	})
	t.Run("nothing to do", func(t *testing.T) {
		t.Parallel()
		e := at(t)
		home := filepath.Dir(e.options.Spool.Base)
		p := open(t, e.options)
		p.Export(mapping.Tree{})
		if r := p.Flush(t.Context()); r.Made != 0 || r.Check() != nil {
			t.Errorf("report %+v", r)
		}
		if left, _ := os.ReadDir(home); len(left) != 0 {
			t.Errorf("something was written for nothing: %v", left)
		}
	})
	t.Run("export after flush", func(t *testing.T) {
		t.Parallel()
		p := open(t, at(t).options)
		p.Export(tree(1, 1))
		flush(t, p, hang)
		p.Export(tree(2, 1))
		r := p.Flush(t.Context())
		if e := one(t, r); e.Exported != 3 || e.Lost[exporter.OutOfTime] != 3 || r.Check() != nil {
			t.Errorf("report %+v", r)
		}
	})
	t.Run("from many goroutines", func(t *testing.T) {
		t.Parallel()
		p := open(t, at(t).options)
		var done sync.WaitGroup
		for i := range 20 {
			done.Go(func() { p.Export(tree(i, 3)) })
		}
		done.Wait()
		if e := one(t, flush(t, p, hang)); e.Exported != 100 {
			t.Errorf("report %+v", e)
		}
	})
	t.Run("results of trees", func(t *testing.T) {
		t.Parallel()
		for _, working := range []bool{true, false} {
			e := at(t)
			o, lost := e.options, 0
			if !working {
				o, lost = e.broken, 3
				o.Spool.Off = true
			}
			results := collectResults(&o)
			run(t, o, hang, tree(1, 1), tree(2, 1))
			want := map[string]exporter.TreeResult{}
			for _, tr := range []mapping.Tree{tree(1, 1), tree(2, 1)} {
				result := exporter.TreeResult{TaskID: tr.TaskID, TraceID: tr.Spans[0].TraceID, RootID: tr.Spans[0].SpanID, Spans: 3, Lost: lost}
				if lost > 0 {
					result.LostIn = o.Exporters
				}
				want[tr.TaskID] = result
			}
			if got := results(); !reflect.DeepEqual(got, want) {
				t.Errorf("working %v: %+v", working, got)
			}
		}
	})
	t.Run("no time at all", func(t *testing.T) {
		t.Parallel()
		p := open(t, at(t).broken)
		p.Export(tree(1, 1000))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		r := p.Flush(ctx)
		if took := time.Since(start); took > hang {
			t.Errorf("took %v", took)
		}
		if err := r.Check(); err != nil || r.Made != 1002 {
			t.Errorf("%v, report %+v", err, r)
		}
	})
}

// collectResults returns what OnTree was told, by task; each task at most once.
func collectResults(o *exporter.Options) func() map[string]exporter.TreeResult {
	var mu sync.Mutex
	results := map[string]exporter.TreeResult{}
	o.OnTree = func(r exporter.TreeResult) {
		mu.Lock()
		defer mu.Unlock()
		if _, again := results[r.TaskID]; again {
			r.Spans = -1
		}
		results[r.TaskID] = r
	}
	return func() map[string]exporter.TreeResult {
		mu.Lock()
		defer mu.Unlock()
		return maps.Clone(results)
	}
}

// Each exporter has its own account; one that fails or hangs does not keep the others from their work.
func TestSeveralExporters(t *testing.T) {
	t.Parallel()
	o, path := toFile(t)
	console := &output{}
	o.Exporters = []string{"otlp", "file", "console", "file"}
	o.OTLP = exporter.OTLP{Endpoint: "http://" + otlptest.BlackHole(t), Protocol: exporter.ProtocolHTTP}
	o.Console.Out = console
	results := collectResults(&o)
	p := open(t, o)
	if got := strings.Join(p.Exporters(), ","); got != "otlp,file,console" {
		t.Errorf("exporters %s", got)
	}
	p.Export(tree(1, 1))
	if !waitFor(func() bool {
		return exists(path) && len(readFile(t, path)) == 3 && strings.Contains(console.String(), "trace ")
	}) {
		t.Error("the others wait for the receiver")
	}
	if len(results()) != 0 {
		t.Error("the tree is not dealt with yet")
	}
	r := flush(t, p, time.Second)
	if r.Exporters[0].Spooled != 3 || r.Exporters[1].Exported != 3 || r.Exporters[2].Exported != 3 {
		t.Errorf("report %+v", r)
	}
	if got := results()["task-1"]; got.Spans != 3 || got.Lost != 0 {
		t.Errorf("result %+v", got)
	}
}

// A disk that hangs is waited for no longer than the flush may take.
func TestHangingWrite(t *testing.T) {
	t.Parallel()
	o, _ := toConsole(t)
	release := make(chan struct{})
	hung := &hanging{release: release, done: make(chan struct{})}
	o.Console.Out = hung
	results := collectResults(&o)
	p := open(t, o)
	p.Export(tree(1, 1))
	p.Export(tree(2, 1))
	r := flush(t, p, 50*time.Millisecond)
	if e := one(t, r); e.Lost[exporter.OutOfTime] != 6 || e.Exported != 0 {
		t.Errorf("report %+v", e)
	}
	if got := results(); len(got) != 2 || got["task-2"].Lost != 3 {
		t.Errorf("results %+v", got)
	}
	close(release)
	<-hung.done
	if again := p.Flush(t.Context()); again.Check() != nil || one(t, again).Exported != 0 {
		t.Errorf("what ended later changed the account: %+v", again)
	}
}

type hanging struct {
	release, done chan struct{}
	once          sync.Once
}

func (h *hanging) Write([]byte) (int, error) {
	<-h.release
	h.once.Do(func() { close(h.done) })
	return 0, errors.New("too late")
}
