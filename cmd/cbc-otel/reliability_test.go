package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cbc-otel/internal/otlptest"
	"cbc-otel/internal/receipt"
)

// burst is a stream of workflows that each ended with so many agents.
func burst(workflows, agents int) []byte {
	var b bytes.Buffer
	for w := range workflows {
		id := fmt.Sprintf(`"task_id":"w%d","session_id":"s"`, w)
		fmt.Fprintf(&b, `{"type":"system","subtype":"task_started","task_type":"local_workflow","workflow_name":"burst",%s}`+"\n", id)
		fmt.Fprintf(&b, `{"type":"system","subtype":"task_progress",%s,"workflow_progress":[{"type":"workflow_phase","index":1,"title":"Fan"}`, id)
		for a := range agents {
			fmt.Fprintf(&b, `,{"type":"workflow_agent","index":%d,"label":"item:%d","phaseIndex":1,"state":"done","model":"m","startedAt":1796160376397,"lastProgressAt":1796160376801,"tokens":1505}`, a+1, a+1)
		}
		fmt.Fprintf(&b, "]}\n"+`{"type":"system","subtype":"task_notification","status":"completed",%s}`+"\n", id)
	}
	return b.Bytes()
}

// TestReliability meets every way a receiver fails and prints what became of the spans. Where the disk works
// none is lost. CBC_OTEL_RELIABILITY names a file for the table of docs/reliability.md.
func TestReliability(t *testing.T) {
	t.Parallel()
	always := func(a otlptest.Answer) otlptest.Config { return otlptest.Config{Fault: otlptest.Always(a)} }
	small, large := burst(1, 10), burst(10, 1000)
	type scene struct {
		name     string
		stream   []byte
		receiver *otlptest.Config                // nil: none
		endpoint func(*otlptest.Receiver) string // default: the receiver's
		during   func(*otlptest.Receiver)
		lost     string // why spans may be lost; "": none may
		arrive   bool   // all have to arrive within the run
	}
	https := func(r *otlptest.Receiver) string { return "https://" + r.HTTPAddr() }
	scenes := []scene{
		{name: "healthy", stream: small, receiver: &otlptest.Config{}, arrive: true},
		{name: "connection refused", stream: small, endpoint: func(*otlptest.Receiver) string { return "http://" + otlptest.Refused }},
		{name: "black hole", stream: small, endpoint: func(*otlptest.Receiver) string { return "http://" + otlptest.BlackHole(t) }},
		{name: "name not found", stream: small, endpoint: func(*otlptest.Receiver) string { return "http://collector.invalid:14318" }},
		{name: "TLS to plaintext", stream: small, receiver: &otlptest.Config{}, endpoint: https},
		{name: "plaintext to TLS", stream: small, receiver: &otlptest.Config{TLS: otlptest.NewTLS(t, t.TempDir())}, endpoint: func(r *otlptest.Receiver) string { return "http://" + r.HTTPAddr() }},
		{name: "503, then well", stream: small, receiver: &otlptest.Config{Fault: otlptest.First(1, otlptest.Answer{Status: 503})}, arrive: true},
		{name: "503 for ever", stream: small, receiver: ptr(always(otlptest.Answer{Status: 503}))},
		{name: "401", stream: small, receiver: ptr(always(otlptest.Answer{Status: 401}))},
		{name: "partial success, 3 rejected", stream: small, receiver: ptr(always(otlptest.Answer{Rejected: 3})), lost: "rejected by receiver"},
		{name: "200 ms a request, 10,020 spans", stream: large, receiver: ptr(always(otlptest.Answer{Delay: 200 * time.Millisecond}))},
		{name: "limit of 4 MiB a message, 10,020 spans", stream: large, receiver: &otlptest.Config{MaxMessage: otlptest.DefaultMaxMessage}},
		{name: "dies in mid-flush, 10,020 spans", stream: large, receiver: ptr(always(otlptest.Answer{Delay: 50 * time.Millisecond})), during: func(r *otlptest.Receiver) {
			for len(r.Requests()) < 2 {
				time.Sleep(time.Millisecond)
			}
			r.Close()
		}},
	}
	table := []string{"| case | protocol | added exit time | spans | exported | spooled | lost |", "| --- | --- | --- | --- | --- | --- | --- |"}
	for _, s := range scenes {
		for _, protocol := range []string{"http/protobuf", "grpc"} {
			t.Run(s.name+" "+protocol, func(t *testing.T) {
				var r *otlptest.Receiver
				endpoint := ""
				if s.receiver != nil {
					r = otlptest.New(t, *s.receiver)
					endpoint = r.URL(protocol)
				}
				if s.endpoint != nil {
					endpoint = s.endpoint(r)
					if protocol == "grpc" && r != nil {
						endpoint = strings.Replace(endpoint, r.HTTPAddr(), r.GRPCAddr(), 1)
					}
				}
				if s.during != nil {
					go s.during(r)
				}
				timeout := "3s"
				if s.arrive {
					timeout = "60s" // on a busy machine, too
				}
				got := receiptOf(t, s.stream, "--flush-timeout", timeout, "--endpoint", endpoint, "--protocol", protocol)
				e := got.Exporters["otlp"]
				if got.Spans.Made == 0 || e.Exported+e.Spooled+e.Lost+e.NotSampled != got.Spans.Made {
					t.Errorf("%d spans made, but %+v", got.Spans.Made, e)
				}
				if s.lost == "" && e.Lost > 0 || s.lost != "" && e.Reasons[s.lost] != e.Lost {
					t.Errorf("lost %d: %v", e.Lost, e.Reasons)
				}
				if s.arrive && e.Exported != got.Spans.Made {
					t.Errorf("exported %d of %d: %+v", e.Exported, got.Spans.Made, e)
				}
				if got.AddedMS > 300_000 {
					t.Errorf("added %v ms to the exit", got.AddedMS) // hangs
				}
				table = append(table, fmt.Sprintf("| %s | %s | %.0f ms | %d | %d | %d | %d |", s.name, protocol, got.AddedMS, got.Spans.Made, e.Exported, e.Spooled, e.Lost))
			})
		}
	}
	t.Log("\n" + strings.Join(table, "\n"))
	if file := os.Getenv("CBC_OTEL_RELIABILITY"); file != "" {
		if err := os.WriteFile(file, []byte(strings.Join(table, "\n")+"\n"), 0o600); err != nil {
			t.Error(err)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// receiptOf runs the program on a stream and returns its receipt.
func receiptOf(t *testing.T, stream []byte, flags ...string) (r receipt.Receipt) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "receipt.json")
	if err := os.WriteFile(in, stream, 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("cbc-otel", append(flags, "--receipt", out, "--", "cat", in)...)
	run.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+dir)
	var stderr bytes.Buffer
	run.Stderr = &stderr
	stdout, err := run.Output()
	if err != nil || !bytes.Equal(stdout, stream) {
		t.Fatalf("%v, %d bytes of %d\n%s", err, len(stdout), len(stream), &stderr)
	}
	if lines := strings.Count(stderr.String(), "\n"); lines > 1 {
		t.Errorf("%d lines on stderr:\n%s", lines, &stderr)
	}
	data, err := os.ReadFile(out)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}
