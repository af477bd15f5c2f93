package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

const root = "../.."

// Set by TestMain.
var (
	program string          // cbc-otel
	chrome  context.Context // the one browser of all tests
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if os.Getenv("BROWSER_SKIP") == "1" {
		fmt.Println("skipped: BROWSER_SKIP=1")
		return 0
	}
	path, err := chromium()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "cbc-otel-browser")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // only a temporary folder
	program = filepath.Join(dir, "cbc-otel")
	build := exec.Command("go", "build", "-o", program, "./cmd/cbc-otel")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building cbc-otel: %v\n%s", err, out)
		return 1
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.NoSandbox, // a container's root has no other way, and the pages are ours
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.UserDataDir(filepath.Join(dir, "profile")),
		chromedp.WindowSize(width, height),
	)
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var end context.CancelFunc
	chrome, end = chromedp.NewContext(allocated)
	defer end()
	if err := chromedp.Do(chrome); err != nil {
		fmt.Fprintf(os.Stderr, "starting %s: %v\n", path, err)
		return 1
	}
	return m.Run()
}

func chromium() (string, error) {
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium on PATH: install it (Debian: apt-get install chromium), name it in CHROMIUM, or set BROWSER_SKIP=1 to go without these tests")
}
