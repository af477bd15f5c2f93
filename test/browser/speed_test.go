package browser

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/tracing"
)

// watch notes when rows are first drawn.
const watch = `
window.rowsAt = 0;
(function look() {
  if (document.querySelectorAll(".row:not([hidden])").length < 20) return requestAnimationFrame(look);
  setTimeout(() => { window.rowsAt = performance.now(); }, 0);
})();`

// Bounds are generous: the machine may be busy. What is measured is in the log.
const (
	slowStart = 5 * time.Second
	slowTask  = 200 * time.Millisecond // of the processor's time
)

// A thousand agents are there at once and scroll without jank.
func TestThousandAgents(t *testing.T) {
	v := startView(t, t.TempDir(), file(t, made(1000)))
	home, _, _ := strings.Cut(v.address, "?")
	served := newTab(t)
	served.open(v.address)
	served.has("#list-count", "1")
	served.thousand("view", home+js[string](served, "document.querySelector('#list-rows a').getAttribute('href')"))
	newTab(t).thousand("report", report(t, file(t, made(1000))))
}

func (b *tab) thousand(what, address string) {
	b.Helper()
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watch})
	b.open("about:blank")
	tasks := b.trace(func() {
		b.open(address)
		b.until("window.rowsAt > 0")
	})
	rows := time.Duration(js[float64](b, "window.rowsAt") * float64(time.Millisecond)).Round(time.Millisecond)
	b.Logf("%s: rows of 1,000 agents after %v; tasks while loading: %v", what, rows, tasks)
	if rows > slowStart {
		b.Errorf("%s: rows after %v", what, rows)
	}
	tasks = b.trace(func() {
		wheel := func(dy float64, modifiers int64) {
			call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: 700, Y: 600, DeltaX: 0.01, DeltaY: dy, Modifiers: modifiers})
		}
		for range 60 {
			wheel(400, 0)
		}
		b.until("document.querySelector('#rows').scrollTop > 20000")
		for range 15 {
			wheel(-150, 2)
		}
		for range 15 {
			wheel(150, 2)
		}
	})
	b.Logf("%s: scrolling and zooming: %v", what, tasks)
	if tasks.longest.cpu > slowTask {
		b.Errorf("%s: a task of %v while scrolling", what, tasks.longest.cpu)
	}
	if n := js[int](b, "document.querySelectorAll('.row').length"); n > 200 {
		b.Errorf("%s: %d rows exist at once", what, n)
	}
}

// took is how long a task of the page's main thread lasted by the clock, and how much of the processor it used: on a
// busy machine these differ.
type took struct{ wall, cpu time.Duration }

type tasks struct {
	count   int
	over    int // of 100 ms by the clock
	longest took
}

func (t tasks) String() string {
	text, _ := json.Marshal(map[string]any{"count": t.count, "over 100 ms": t.over, "longest": t.longest.wall.String(), "most of the processor": t.longest.cpu.String()})
	return string(text)
}

// trace records the tasks of the main thread with the browser's own tracing while it runs do.
func (b *tab) trace(do func()) (t tasks) {
	b.Helper()
	type event struct {
		Name  string
		PID   int64
		TID   int64
		Dur   float64 // microseconds
		TDur  float64
		Phase string `json:"ph"`
		Args  struct{ Name string }
	}
	var events []event
	done := make(chan struct{})
	over := false
	b.hear(func(e any) {
		switch e := e.(type) {
		case *tracing.EventDataCollected:
			for _, v := range e.Value {
				var one event
				if json.Unmarshal(v, &one) == nil {
					events = append(events, one)
				}
			}
		case *tracing.EventTracingComplete:
			if !over {
				over = true
				close(done)
			}
		}
	})
	call(b, tracing.Start, tracing.StartParams{TransferMode: tracing.StartTransferModeReportEvents, TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"toplevel", "disabled-by-default-devtools.timeline", "__metadata"}}})
	do()
	call(b, tracing.End, cdp.Empty{})
	select {
	case <-done:
	case <-time.After(patience):
		b.Fatal("the trace never ended")
	}
	b.hear(nil)
	var main [][2]int64
	for _, e := range events {
		if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			main = append(main, [2]int64{e.PID, e.TID})
		}
	}
	for _, e := range events {
		if !strings.HasSuffix(e.Name, "RunTask") || e.Phase != "X" || !slices.Contains(main, [2]int64{e.PID, e.TID}) {
			continue
		}
		one := took{time.Duration(e.Dur) * time.Microsecond, time.Duration(e.TDur) * time.Microsecond}
		t.count++
		if one.wall > 100*time.Millisecond {
			t.over++
		}
		t.longest.wall, t.longest.cpu = max(t.longest.wall, one.wall), max(t.longest.cpu, one.cpu)
	}
	if t.count == 0 {
		b.Errorf("no task in %d events of the trace", len(events))
	}
	return t
}
