package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// watch notes when rows are first drawn and every task that keeps the page busy for more than 50 ms.
const watch = `
window.watched = {long: [], rows: 0};
new PerformanceObserver((l) => { for (const e of l.getEntries()) window.watched.long.push(Math.round(e.duration)); }).observe({type: "longtask", buffered: true});
addEventListener("DOMContentLoaded", () => {
  const seen = new MutationObserver(() => {
    if (window.watched.rows || document.querySelectorAll(".row:not([hidden])").length < 20) return;
    requestAnimationFrame(() => setTimeout(() => { window.watched.rows = window.watched.rows || performance.now(); }, 0));
  });
  seen.observe(document.body, {subtree: true, childList: true, attributes: true});
});`

// Bounds are generous: the machine may be busy. What is measured is in the log.
const (
	slowStart = 5 * time.Second
	slowTask  = 500 // ms
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
	b.open(address)
	b.until("window.watched.rows > 0")
	rows := js[float64](b, "window.watched.rows")
	b.Logf("%s: rows of 1,000 agents after %.0f ms, long tasks while loading %v ms", what, rows, js[[]int](b, "window.watched.long"))
	if rows > float64(slowStart.Milliseconds()) {
		b.Errorf("%s: rows after %.0f ms", what, rows)
	}
	js[int](b, "window.watched.long = [], window.watched.frames = [], 0")
	js[int](b, `(() => { let last = performance.now(); const f = (now) => { window.watched.frames.push(now - last); last = now; requestAnimationFrame(f); }; return requestAnimationFrame(f); })()`)
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
	b.do(chromedp.KeyEvent("r"), chromedp.KeyEvent("r"))
	worst := 0
	long := js[[]int](b, "window.watched.long")
	for _, ms := range long {
		worst = max(worst, ms)
	}
	b.Logf("%s: scrolling and zooming: long tasks %v ms, %s", what, long,
		js[string](b, `(() => { const f = window.watched.frames.slice().sort((a, b) => a - b); return f.length + " frames, half of them within " + f[f.length >> 1].toFixed(0) + " ms, the slowest " + f.at(-1).toFixed(0) + " ms"; })()`))
	if worst > slowTask {
		b.Errorf("%s: a task of %d ms while scrolling", what, worst)
	}
	if n := js[int](b, "document.querySelectorAll('.row').length"); n > 200 {
		b.Errorf("%s: %d rows exist at once", what, n)
	}
}
