package browser

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "rewrite the pictures in docs/img")

// Pictures of small and large workflows in light and dark, for people.
func TestPictures(t *testing.T) {
	const dir = "shots"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	save := func(name string, picture []byte) {
		t.Helper()
		if err := os.WriteFile(name, picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := newTab(t)
	b.open(startView(t, t.TempDir(), file(t, made(3), made(7), made(150), made(40), made(1000))).address)
	b.has("#list-count", "5")
	save(filepath.Join(dir, "list.png"), b.shot())
	for _, n := range []int{3, 150, 1000} {
		b := newTab(t)
		b.open(report(t, file(t, made(n))))
		b.until("document.querySelectorAll('.row:not([hidden])').length > 2")
		for _, theme := range []string{"light", "dark"} {
			b.dark(theme == "dark")
			shot := func(what string) { save(filepath.Join(dir, fmt.Sprintf("%d-%s%s.png", n, theme, what)), b.shot()) }
			shot("")
			b.do(chromedp.KeyEvent("n"), chromedp.KeyEvent("\r"), chromedp.KeyEvent("z"))
			shot("-details")
			b.do(chromedp.KeyEvent("0"), chromedp.KeyEvent("r"))
			shot("-low")
			b.do(chromedp.KeyEvent("r"), chromedp.KeyEvent("\x1b"), chromedp.KeyEvent("\x1b"))
			b.until("document.querySelector('#panel-phases').hidden === false")
			if n == 150 && *update {
				b.do(chromedp.EmulateViewport(1280, 760))
				js[string](b, "document.querySelector('#rows').scrollTop = 0; document.querySelector('#feed').textContent = ''")
				save(filepath.Join(root, "docs", "img", "view-"+theme+".png"), small(t, b.shot()))
				b.do(chromedp.EmulateViewport(width, height))
			}
		}
	}
}

// small gives a picture the 256 colours that it has most of.
func small(t *testing.T, picture []byte) []byte {
	t.Helper()
	from, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	size := from.Bounds()
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(from.At(x, y)).(color.RGBA) }
	for y := range size.Dy() {
		for x := range size.Dx() {
			count[at(x, y)]++
		}
	}
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	var palette color.Palette
	for _, c := range all[:min(len(all), 256)] {
		palette = append(palette, c)
	}
	place := map[color.RGBA]uint8{}
	to := image.NewPaletted(size, palette)
	for y := range size.Dy() {
		for x := range size.Dx() {
			c := at(x, y)
			i, ok := place[c]
			if !ok {
				i = uint8(palette.Index(c))
				place[c] = i
			}
			to.SetColorIndex(x, y, i)
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, to); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
