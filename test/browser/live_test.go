package browser

import (
	"os/exec"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// A workflow appears as it starts under a real wrapper, grows, and ends on the page as it ended.
func TestLive(t *testing.T) {
	state := t.TempDir()
	v := startView(t, state)
	b := newTab(t)
	b.open(v.address)
	b.has("#list-empty", "No workflow yet")

	wrapped := exec.Command(program, "--", program, "simulate", "-p", "go", "--output-format", "stream-json", "--sim-scenario", "release-audit", "--sim-speed", "0.6")
	wrapped.Env = environment(state)
	if err := wrapped.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- wrapped.Wait() }()

	b.until("document.querySelector('#list-rows .pill.running')")
	b.do(chromedp.Click("#list-rows a"))
	b.has("#status", "running")
	b.until("document.querySelectorAll('.row.open:not([hidden])').length > 1")
	early := b.rows()
	b.until("Boolean(" + labels + ".includes('Review'))")
	b.until("document.querySelector('.row.kind-agent.state-done:not([hidden])') && document.querySelector('.row.kind-agent.state-running:not([hidden])')")
	between := js[string](b, "document.querySelector('#facts dd b').textContent")
	b.until("document.querySelector('#facts dd b').textContent !== '" + between + "'") // time goes on
	b.has("#status", "completed")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	b.until("document.querySelectorAll('.row.open:not([hidden])').length === 0")
	late := b.rows()
	if len(late) <= len(early) || !slices.Contains(late, "write release notes") {
		t.Errorf("first %q, at the end %q", early, late)
	}
	b.has("#facts", "1 failed")
	b.clickRow("run benchmarks")
	b.has("#panel-details", "API Error: 529")
	b.do(chromedp.Click("#crumb-all"))
	b.until("document.querySelector('#list-rows .pill.completed')")
}

// A wrapper that is killed leaves its workflow as it was last known, and the page says so.
func TestWrapperKilled(t *testing.T) {
	state := t.TempDir()
	v := startView(t, state)
	wrapped := exec.Command(program, "--", program, "simulate", "-p", "go", "--output-format", "stream-json", "--sim-scenario", "release-audit", "--sim-speed", "0.1")
	wrapped.Env = environment(state)
	if err := wrapped.Start(); err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.open(v.address)
	b.until("document.querySelector('#list-rows .pill.running')")
	b.do(chromedp.Click("#list-rows a"))
	b.has("#status", "running")
	if err := wrapped.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = wrapped.Wait()
	b.has("#status", "wrapper gone")
	recovered := exec.Command(program, "recover")
	recovered.Env = environment(state)
	if out, err := recovered.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	b.has("#status", "interrupted")
}
