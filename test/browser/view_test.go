package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"cbc-otel/mapping"
)

// firstTick is where the axis begins.
const firstTick = `document.querySelector("#axis span:not(.end)").textContent`

// A visitor finds a workflow in the list, opens it, zooms, searches, filters, and reads everything about an agent.
func TestView(t *testing.T) {
	other := made(3)
	other.Spans[0].Attributes[1] = mapping.Attribute{Key: mapping.KeyWorkflowName, Value: "another-one"}
	v := startView(t, t.TempDir(), file(t, made(150), other))
	b := newTab(t)
	b.open(v.address)

	b.has("#list-count", "2")
	if got := js[string](b, "location.href"); strings.Contains(got, "token") {
		t.Errorf("the token stays in the address: %s", got)
	}
	if got := js[string](b, "document.cookie"); got != "" {
		t.Errorf("scripts can read the cookie: %s", got)
	}
	b.do(chromedp.SendKeys("#list-search", "repo"))
	b.until("document.querySelectorAll('#list-rows tr').length === 1")
	b.do(chromedp.Click("#list-rows a"))

	b.has("#title", "repo-audit")
	b.has("#status", "completed")
	b.has("#facts", "2 failed")
	if rows := b.rows(); len(rows) < 20 || rows[0] != "repo-audit" || rows[1] != "Plan" || len(rows) > 80 {
		t.Fatalf("%d rows: %q", len(rows), rows)
	}
	if n := js[int](b, `Number(document.querySelector("#rows").getAttribute("aria-rowcount"))`); n != 156 {
		t.Errorf("%d rows in all, want 156", n)
	}

	b.zoom()
	b.search()
	b.keys()
	b.details()

	b.do(chromedp.Click("#crumb-all"))
	b.until("!document.querySelector('#list').hidden")
}

func (b *tab) zoom() {
	b.Helper()
	whole := js[int](b, "document.querySelectorAll('#axis span').length")
	lane := js[[]float64](b, `(() => { const r = document.querySelector("#axis").getBoundingClientRect(); return [r.left + r.width * 0.9, r.top + 10]; })()`)
	wheel := func(y float64, dx, dy float64, ctrl bool) {
		// Both distances must be there, and the library leaves out zeros.
		p := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: lane[0], Y: y, DeltaX: dx + 0.01, DeltaY: dy + 0.01}
		if ctrl {
			p.Modifiers = 2 // Ctrl
		}
		call(b, input.DispatchMouseEvent, p)
	}
	for range 4 {
		wheel(lane[1], 0, -300, false) // on the axis the wheel zooms
	}
	b.until(firstTick + " !== '0'")
	zoomed := js[string](b, firstTick)
	for range 3 {
		wheel(lane[1]+200, 0, -200, true) // on rows with Ctrl
	}
	b.until(firstTick + " !== '" + zoomed + "'")
	here := js[string](b, firstTick)
	wheel(lane[1]+200, -400, 0, false) // sideways moves
	b.until(firstTick + " !== '" + here + "'")
	top := js[float64](b, "document.querySelector('#rows').scrollTop")
	wheel(lane[1]+200, 0, 400, false) // down scrolls
	b.until("document.querySelector('#rows').scrollTop > " + jsNumber(top))
	b.do(chromedp.KeyEvent("0"))
	b.until(firstTick + " === '0'")
	if got := js[int](b, "document.querySelectorAll('#axis span').length"); got != whole {
		b.Errorf("%d ticks after all, %d before", got, whole)
	}
	// The strip takes a window.
	strip := js[[]float64](b, `(() => { const r = document.querySelector("#over-lane").getBoundingClientRect(); return [r.left + r.width * 0.5, r.top + 30, r.left + r.width * 0.75]; })()`)
	b.do(chromedp.DragAndDropXY(strip[0], strip[1], strip[2], strip[1]))
	b.until("!document.querySelector('#brush').classList.contains('whole')")
	b.do(chromedp.Click("#zoom-fit"))
	b.until("document.querySelector('#brush').classList.contains('whole')")
	js[float64](b, "document.querySelector('#rows').scrollTop = 0")
}

func (b *tab) search() {
	b.Helper()
	b.do(chromedp.KeyEvent("/"))
	b.until("document.activeElement.id === 'search'")
	// The driver sends the character although its key was taken; a keyboard does not.
	js[string](b, `document.querySelector("#search").value = ""`)
	b.do(chromedp.KeyEvent("529 overloaded"))
	b.has("#hits", "2 found")
	b.until("document.querySelectorAll('.row.state-error:not([hidden])').length === 2")
	if rows := b.rows(); len(rows) > 5 || rows[0] != "repo-audit" {
		b.Errorf("rows %q", rows)
	}
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("document.querySelector('#hits').textContent === ''")
	b.do(chromedp.Click("#states .state-cached"))
	b.has("#hits", "6 found")
	b.do(chromedp.Click("#states .state-error"))
	b.has("#hits", "8 found")
	b.do(chromedp.Click("#states .state-error"), chromedp.Click("#states .state-cached"))
	b.do(chromedp.Click("#critical"))
	b.has("#hits", "14 found")
	b.until("[...document.querySelectorAll('.row.kind-agent:not([hidden])')].every(r => r.classList.contains('on-path'))")
	b.do(chromedp.Click("#search"), chromedp.KeyEvent("nothing has this name"))
	b.until("!document.querySelector('#rows-empty').hidden")
	b.do(chromedp.Click("#clear"))
	b.until("document.querySelector('#rows-empty').hidden && document.querySelector('#rows').getAttribute('aria-rowcount') === '156'")
	order := func(by string) {
		js[bool](b, fmt.Sprintf(`(document.querySelector("#sort").value = %q, document.querySelector("#sort").dispatchEvent(new Event("change")))`, by))
	}
	order("long")
	b.until(labels + `.slice(0, 3).join() === "repo-audit,Plan,process #3"`)
	order("start")
	b.until(labels + `.slice(0, 3).join() === "repo-audit,Plan,filter #1"`)
}

func (b *tab) keys() {
	b.Helper()
	js[string](b, "document.querySelector('#rows').focus(), ''")
	selected := `document.querySelector(".row.selected .label")?.textContent`
	key := func(keys ...string) {
		for _, k := range keys {
			b.do(chromedp.KeyEvent(k))
		}
	}
	key(kb.Home, kb.ArrowDown)
	b.until(selected + " === 'Plan'")
	if got := js[string](b, `document.getElementById(document.querySelector("#rows").getAttribute("aria-activedescendant")).getAttribute("aria-label")`); !strings.HasPrefix(got, "phase, Plan") {
		b.Errorf("a reader hears %q", got)
	}
	key(kb.ArrowLeft)
	b.until("document.querySelector('#rows').getAttribute('aria-rowcount') === '153'")
	key(kb.ArrowDown)
	b.until(selected + " === 'Collect sources'")
	key(kb.ArrowUp, kb.ArrowRight, kb.ArrowDown)
	b.until(selected + " === 'filter #1'")
	key(kb.End)
	b.until("document.querySelector('#rows').scrollTop > 1000")
	key("e")
	b.until("document.querySelector('#rows').getAttribute('aria-rowcount') === '6'")
	key("e", "?")
	b.until("document.querySelector('#help').open")
	b.has("#help-keys", "zoom in and out")
	key(kb.Escape)
	b.until("!document.querySelector('#help').open")
	key("t", "t", "t", "r", "r", "p", "p")
	b.until("!document.querySelector('#panel').hidden")
}

func (b *tab) details() {
	b.Helper()
	js[float64](b, "document.querySelector('#rows').scrollTop = 0")
	b.until(`document.querySelectorAll(".row:not([hidden])").length > 0 && ` + labels + `.includes("summary #2")`)
	b.clickRow("summary #2")
	b.has("#panel-details", "claude-sonnet-4-5")
	for _, want := range []string{"cbc.agent.index", "5f2b0c1e-9d4a-4b7e-8a53-2f6f1f0c9b11", "span id", "summary #2", "In"} {
		if text := b.text("#panel-details"); !strings.Contains(text, want) {
			b.Errorf("the details lack %q: %s", want, text)
		}
	}
	b.do(chromedp.Click("#panel-details .named button"))
	b.has("#panel-details h2", "Plan")
	b.do(chromedp.Click("#tab-phases"))
	b.has("#panel-phases", "Review each file")
	if text := b.text("#panel-phases"); !strings.Contains(text, "2.10M") || !strings.Contains(text, "54 %") {
		b.Errorf("tokens by phase: %s", text)
	}
}

// Two views do not take each other's cookies, and one that ends tells its pages, which keep what they have.
func TestEndOfView(t *testing.T) {
	one, two := startView(t, t.TempDir(), file(t, made(3))), startView(t, t.TempDir(), file(t, made(3)))
	b := newTab(t)
	b.open(one.address)
	b.has("#list-count", "1")
	b.open(two.address)
	b.has("#list-count", "1")
	home, _, _ := strings.Cut(one.address, "?")
	b.open(home)
	b.has("#feed", "connected")
	b.do(chromedp.Click("#list-rows a"))
	b.has("#title", "repo-audit")
	one.end(t)
	b.has("#feed", "has ended")
	if len(b.rows()) != 5 {
		t.Errorf("rows %q", b.rows())
	}
}
