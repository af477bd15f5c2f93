package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"cbc-otel/mapping"
)

// hostiles try to become part of the page.
var hostiles = []string{
	`<img src=x onerror="window.taken=1">`,
	`</script><script>window.taken=2</script>`,
	`"><svg onload=window.taken=3>`,
	`'+(window.taken=4)+'`,
	`{{data}}{{script}}<!--<script>`,
	"\u2028window.taken=5//\u2029",
	`javascript:window.taken=6`,
	`<a href="https://evil.example/">click</a><base href="https://evil.example/">`,
	strings.Repeat("W", 1000),
	`__proto__`, `constructor`, `get`, `#/../..`,
}

// hostileTrees have such text in every place that a command can fill.
func hostileTrees() (trees []mapping.Tree) {
	for i, text := range hostiles {
		tree := made(3)
		for k := range tree.Spans {
			s := &tree.Spans[k]
			s.TraceID[15], s.SpanID[0] = byte(i+1), byte(i+1)
			if k > 0 {
				s.ParentID[0] = byte(i + 1)
			}
			s.Name = text
			s.Status = mapping.Status{Error: true, Description: text}
			for a := range s.Attributes {
				if _, ok := s.Attributes[a].Value.(string); ok && s.Attributes[a].Key != mapping.KeyOperation {
					s.Attributes[a].Value = text
				}
			}
			s.Attributes = append(s.Attributes, mapping.Attribute{Key: text, Value: []string{text, text}})
			s.Events = []mapping.SpanEvent{{Name: text, Time: s.Start, Attributes: []mapping.Attribute{{Key: text, Value: text}}}}
		}
		trees = append(trees, tree)
	}
	return trees
}

// inert checks that the page is still ours.
func (b *tab) inert(places int) {
	b.Helper()
	if got := js[string](b, "String(window.taken)"); got != "undefined" {
		b.Errorf("a script of a text ran: %s", got)
	}
	if n := js[int](b, "document.querySelectorAll('img, iframe, base, object, embed, body script ~ script:not(:last-of-type), a[href^=\"http\"], a[href^=\"javascript\"]').length"); n != 0 {
		b.Errorf("%d elements of texts", n)
	}
	if n := js[int](b, "document.querySelectorAll('script').length"); n != places {
		b.Errorf("%d scripts, want %d", n, places)
	}
}

func TestHostileTexts(t *testing.T) {
	path := file(t, hostileTrees()...)
	for _, kind := range []string{"view", "report"} {
		b := newTab(t)
		address, scripts := "", 1
		if kind == "view" {
			address = startView(t, t.TempDir(), path).address
		} else {
			address, scripts = report(t, path), 2
		}
		b.open(address)
		b.until(fmt.Sprintf("document.querySelectorAll('#list-rows tr').length === %d", len(hostiles)))
		b.inert(scripts)
		keys := js[[]string](b, "[...document.querySelectorAll('#list-rows a')].map(a => a.getAttribute('href'))")
		seen := map[string]bool{}
		for _, key := range keys {
			js[string](b, fmt.Sprintf("location.hash = %q", key))
			const rows = "document.querySelectorAll('.row.kind-agent:not([hidden])').length === 3"
			b.until(fmt.Sprintf("!document.querySelector('#trace').hidden && '#' + document.querySelector('#trace').dataset.key === %q && %s", key, rows))
			b.do(chromedp.KeyEvent("e"), chromedp.KeyEvent("e"))
			b.until(rows)
			js[string](b, `document.querySelector('.row.kind-agent:not([hidden])').click(), ''`)
			b.until("document.querySelector('#panel-details .error-text')?.textContent === document.querySelector('#title').textContent")
			seen[js[string](b, "document.querySelector('#panel-details .attributes td').textContent && document.querySelector('#title').textContent")] = true
			b.inert(scripts)
			js[string](b, "location.hash = ''")
			b.until("!document.querySelector('#list').hidden")
		}
		js[string](b, "location.hash = '#%'") // no encoding of anything
		js[string](b, "location.hash = ''")
		b.until("!document.querySelector('#list').hidden")
		for _, text := range hostiles {
			if !seen[text] {
				t.Errorf("%s: %.60q is not shown as it is", kind, text)
			}
		}
	}
}
