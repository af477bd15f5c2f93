package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// Pictures of small and large workflows in light and dark, for people.
func TestPictures(t *testing.T) {
	const dir = "shots"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{3, 150, 1000} {
		b := newTab(t)
		b.open(report(t, file(t, made(n))))
		b.until("document.querySelectorAll('.row:not([hidden])').length > 2")
		for _, dark := range []bool{false, true} {
			theme := map[bool]string{false: "light", true: "dark"}[dark]
			b.dark(dark)
			save := func(what string) {
				path := filepath.Join(dir, fmt.Sprintf("%d-%s%s.png", n, theme, what))
				if err := os.WriteFile(path, b.shot(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			save("")
			b.do(chromedp.KeyEvent("n"), chromedp.KeyEvent("\r"), chromedp.KeyEvent("z"))
			save("-details")
			b.do(chromedp.KeyEvent("0"), chromedp.KeyEvent("r"))
			save("-low")
			b.do(chromedp.KeyEvent("r"))
			b.do(chromedp.KeyEvent("0"), chromedp.KeyEvent("\x1b"), chromedp.KeyEvent("\x1b"))
		}
	}
}
