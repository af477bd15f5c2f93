package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cbc-otel/test/e2e/internal/program"
	"cbc-otel/test/e2e/internal/tree"
)

// TestManyWrappers: 200 wrappers at once into one collector and Jaeger; every workflow and span arrives, exactly once.
// Where the machine is too slow for them all, some give up waiting and keep their spans; flush sends those.
func TestManyWrappers(t *testing.T) {
	const n = 200
	b := startJaeger(t)
	g := startCollector(t, program.Ports(t, 3), t.TempDir(), b.grpc)
	dir := t.TempDir()
	together, gate, err := os.Pipe() // the commands wait for its end
	if err != nil {
		t.Fatal(err)
	}
	var (
		wrappers sync.WaitGroup
		mu       sync.Mutex
		walls    []time.Duration
		memory   []int // kB, the most each had in memory
		begun    time.Time
		late     []string // state of the wrappers whose spans went to the spool
	)
	for i := range n {
		cmd := command(t, "--exporter", "otlp,file", "--file", filepath.Join(dir, fmt.Sprint(i, ".jsonl")), "--endpoint", "http://"+g.grpc, "--flush-timeout", "1m",
			"--", "sh", "-c", `read _; exec "$@"`, "sh", cbcOtel(t), "simulate", "-p", "go", "--output-format", "stream-json")
		// Each is as on a machine of its own. An answer that does not come in time would be one more try, and the
		// spans there twice.
		state := filepath.Join(dir, fmt.Sprint(i, ".state"))
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+state, "OTEL_EXPORTER_OTLP_TIMEOUT=60000")
		cmd.Stdin = together
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		wrappers.Go(func() {
			most := 0
			for {
				most = max(most, peak(cmd.Process.Pid))
				select {
				case <-ended:
					mu.Lock()
					defer mu.Unlock()
					walls, memory = append(walls, time.Since(begun)), append(memory, most)
					return
				case <-time.After(500 * time.Millisecond):
				}
			}
		})
		wrappers.Go(func() {
			defer close(ended)
			err := cmd.Wait()
			mu.Lock()
			defer mu.Unlock()
			if strings.Contains(stderr.String(), "spans kept for later") {
				if late = append(late, state); len(late) == 1 {
					t.Logf("a wrapper says: %s", stderr.String())
				}
			} else if err != nil || stderr.Len() > 0 {
				t.Errorf("wrapper %d: %v\n%s", i, err, stderr.String())
			}
		})
	}
	mu.Lock() // nobody has ended yet
	begun = time.Now()
	mu.Unlock()
	if err := gate.Close(); err != nil {
		t.Fatal(err)
	}
	wrappers.Wait()
	for _, state := range late {
		flush := command(t, "flush", "--endpoint", "http://"+g.grpc)
		flush.Env = append(flush.Env, "XDG_STATE_HOME="+state)
		run(t, flush)
	}

	var spans []tree.Span
	for i := range n {
		spans = append(spans, file(t, filepath.Join(dir, fmt.Sprint(i, ".jsonl")))...)
	}
	b.same(t, spans)
	traces := tree.Traces(spans)
	if len(traces) != n {
		t.Errorf("%d workflows of %d wrappers", len(traces), n)
	}
	slices.Sort(walls)
	slices.Sort(memory)
	t.Logf("%d wrappers at once: %d workflows, %d spans, each once; %d kept theirs and sent them with flush; a wrapper ended after %v in the median, the last after %v; its memory peaked at %d MB in the median, %d MB at most",
		n, len(traces), len(spans), len(late), walls[n/2].Round(time.Millisecond), walls[n-1].Round(time.Millisecond), memory[n/2]>>10, memory[n-1]>>10)
}

// peak is the most memory a process had so far, in kB; 0 when it is gone.
func peak(pid int) (kb int) {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	_, _ = fmt.Sscan(rest, &kb)
	return kb
}
