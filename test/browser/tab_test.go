package browser

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Size of the window.
const (
	width  = 1440
	height = 900
)

// patience is for slow machines; nothing waits for it that works.
const patience = 40 * time.Second

// tab is a page of its own, with a profile of its own. When the test ends it must not have complained, nor asked
// anybody but its own origin for anything.
type tab struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	errors   []string
	requests []string
	other    func(event any) // hears events, too
}

func newTab(t *testing.T) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chrome, chromedp.WithNewBrowserContext())
	ctx, stop := context.WithTimeout(ctx, 3*time.Minute)
	b := &tab{T: t, ctx: ctx}
	t.Cleanup(func() {
		b.check()
		stop()
		cancel()
	})
	b.do(chromedp.EmulateViewport(width, height))
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	return b
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.other != nil {
		b.other(event)
	}
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.errors = append(b.errors, fmt.Sprintf("%s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		var args []string
		for _, a := range e.Args {
			args = append(args, string(a.Value)+a.Description)
		}
		b.errors = append(b.errors, "console."+string(e.Type)+": "+strings.Join(args, " "))
	case *log.EventEntryAdded:
		b.errors = append(b.errors, fmt.Sprintf("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

// hear has all events told to fn, too.
func (b *tab) hear(fn func(event any)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.other = fn
}

// check fails the test for whatever the console holds and for every request that left the page's own origin.
func (b *tab) check() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.errors {
		b.Errorf("console: %s", e)
	}
	for _, r := range b.requests {
		if !strings.HasPrefix(r, "http://127.0.0.1:") && !strings.HasPrefix(r, "file://") && !strings.HasPrefix(r, "data:image/svg+xml,") {
			b.Errorf("the page asked for %s", r)
		}
	}
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// call sends a command of the protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.Fatal(err)
	}
	return result
}

func (b *tab) open(address string) {
	b.Helper()
	b.do(chromedp.Navigate(address))
}

// js evaluates an expression.
func js[T any](b *tab, expression string) T {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%v\nin %s", err, expression)
	}
	return value
}

// until waits for an expression to be true.
func (b *tab) until(expression string) {
	b.Helper()
	deadline := time.Now().Add(patience)
	for {
		// While a page gives way to the next one there is nowhere to ask.
		if ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")")); err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			b.Fatalf("never came true: %s\nthe page says: %s", expression, js[string](b, "document.body.innerText"))
		}
		time.Sleep(30 * time.Millisecond)
	}
}

func jsNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// text is what an element shows.
func (b *tab) text(selector string) string {
	b.Helper()
	return js[string](b, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector))
}

func (b *tab) has(selector, part string) {
	b.Helper()
	b.until(fmt.Sprintf("document.querySelector(%q)?.innerText.includes(%q)", selector, part))
}

// labels are those of the rows in sight, from top to bottom.
const labels = `[...document.querySelectorAll(".row:not([hidden])")].sort((a, b) => a.getAttribute("aria-rowindex") - b.getAttribute("aria-rowindex")).map(r => r.querySelector(".label").textContent)`

func (b *tab) rows() []string {
	b.Helper()
	return js[[]string](b, labels)
}

// click clicks a row by its label.
func (b *tab) clickRow(label string) {
	b.Helper()
	box := js[[]float64](b, fmt.Sprintf(`(() => { const r = [...document.querySelectorAll(".row:not([hidden])")].find(r => r.querySelector(".label").textContent === %q).querySelector(".name").getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`, label))
	b.do(chromedp.MouseClickXY(box[0], box[1]))
}

// dark makes the system's colours dark, or light.
func (b *tab) dark(on bool) {
	b.Helper()
	scheme := "light"
	if on {
		scheme = "dark"
	}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	b.until(fmt.Sprintf("document.documentElement.dataset.theme === %q", scheme))
}

// shot is a picture of the window.
func (b *tab) shot() []byte {
	b.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	return png
}
