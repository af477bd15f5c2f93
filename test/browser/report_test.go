package browser

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"cbc-otel/internal/testdata"
)

// A report works from the disk, alone.
func TestReport(t *testing.T) {
	b := newTab(t)
	address := report(t, file(t, made(1000)))
	info, err := os.Stat(strings.TrimPrefix(address, "file://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("a report of 1,000 agents has %d bytes", info.Size())
	if info.Size() > 2_000_000 {
		t.Errorf("a report of 1,000 agents has %d bytes", info.Size())
	}
	b.open(address)
	b.has("#title", "repo-audit")
	b.has("#feed", "report of ")
	if !js[bool](b, "document.querySelector('#crumb-all').hidden") {
		t.Error("a list of one is offered")
	}
	b.do(chromedp.KeyEvent("n"), chromedp.KeyEvent("\r"))
	b.has("#panel-details", "API Error: 529")
	b.do(chromedp.KeyEvent("z"))
	b.until("!document.querySelector('#brush').classList.contains('whole')")
	for _, r := range b.requests {
		if r != address && !strings.HasPrefix(r, "data:") {
			t.Errorf("the report asked for %s", r)
		}
	}
}

// A recorded stream of several workflows has a list of them.
func TestReportOfStream(t *testing.T) {
	c, err := testdata.Find("06-two-concurrent")
	if err != nil {
		t.Fatal(err)
	}
	path, err := c.Path()
	if err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.open(report(t, path))
	b.until("document.querySelectorAll('#list-rows tr').length === 2")
	b.do(chromedp.Click("#list-rows a"))
	b.until("document.querySelectorAll('.row:not([hidden])').length > 2")
	b.do(chromedp.NavigateBack())
	b.until("!document.querySelector('#list').hidden")
}
