package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cbc-otel/internal/otlptest"
	"cbc-otel/internal/receipt"
)

// TestManyAtOnce runs a hundred wrappers that share a spool against a receiver that fails every other request, half
// of them after it took the spans. After flush every span is there, and twice only if an answer was lost.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	const runs = 100
	var requests, lostAnswers atomic.Int64
	receiver := otlptest.New(t, otlptest.Config{Fault: func(otlptest.Request) otlptest.Answer {
		switch requests.Add(1) % 4 {
		case 1:
			return otlptest.Answer{Status: 503}
		case 3:
			lostAnswers.Add(1)
			return otlptest.Answer{Drop: true}
		}
		return otlptest.Answer{}
	}})
	dir := t.TempDir()
	env := append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+dir,
		"CBC_OTEL_ENDPOINT="+receiver.HTTPURL(), "CBC_OTEL_PROTOCOL=http/protobuf")

	var wg sync.WaitGroup
	receipts := make([]receipt.Receipt, runs)
	for i := range runs {
		wg.Go(func() {
			file := filepath.Join(dir, strconv.Itoa(i)+".json")
			run := exec.Command("cbc-otel", "--receipt", file, "--",
				"cbc-otel", "simulate", "--sim-scenario", "quick", "--sim-seed", strconv.Itoa(i+1), "--sim-start", "2026-12-01T12:00:00Z",
				"-p", "go", "--output-format", "stream-json")
			run.Env = env
			if out, err := run.CombinedOutput(); err != nil {
				t.Errorf("run %d: %v\n%s", i, err, out)
				return
			}
			data, err := os.ReadFile(file)
			if err == nil {
				err = json.Unmarshal(data, &receipts[i])
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	made := 0
	for i, r := range receipts {
		e := r.Exporters["otlp"]
		if r.Spans.Made == 0 || e.Exported+e.Spooled+e.Lost+e.NotSampled != r.Spans.Made || e.Lost > 0 {
			t.Errorf("run %d does not add up or lost spans: made %d, %+v", i, r.Spans.Made, e)
		}
		made += r.Spans.Made
	}

	receiver.SetFault(nil)
	var said []byte
	for _, name := range []string{"recover", "flush"} { // a run that had no time to spool leaves its journal
		cmd := exec.Command("cbc-otel", name)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		said = append(said, out...)
	}
	counts := receiver.Count()
	if len(counts) != made {
		t.Errorf("%d different spans arrived, %d were made; flush said: %s", len(counts), made, said)
	}
	twice := 0
	for _, n := range counts {
		if n > 1 {
			twice++
		}
	}
	if lostAnswers.Load() == 0 && twice > 0 {
		t.Errorf("%d spans arrived twice, no answer was lost", twice)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "state", "cbc-otel", "spool", "*.otlp*")); len(left) > 0 {
		t.Errorf("left in the spool: %s", strings.Join(left, ", "))
	}
	t.Logf("%d spans of %d runs, %d twice, %d requests, %d answers lost; %s", made, runs, twice, requests.Load(), lostAnswers.Load(), said)
}
