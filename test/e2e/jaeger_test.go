package e2e

import (
	"io"
	"path/filepath"
	"regexp"
	"testing"

	"cbc-otel/internal/testdata"
	"cbc-otel/test/e2e/internal/program"
	"cbc-otel/test/e2e/internal/tree"
)

// TestJaeger sends what there is to send over both protocols and reads it back from Jaeger: names, tree, times,
// tags, events, errors, links.
func TestJaeger(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"grpc", "http/protobuf"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			b := startJaeger(t)
			endpoint := "http://" + b.grpc
			if protocol != "grpc" {
				endpoint = "http://" + b.http
			}
			sent := filepath.Join(t.TempDir(), "sent.jsonl")
			export := []string{"--exporter", "otlp,file", "--file", sent, "--protocol", protocol, "--endpoint", endpoint, "--flush-timeout", "1m"}

			t.Run("demo", func(t *testing.T) {
				run(t, command(t, append([]string{"demo", "--speed", "5"}, export...)...))
			})
			t.Run("trace link", func(t *testing.T) {
				cmd := command(t, append([]string{"demo", "--speed", "20", "--trace-link", b.URL + "/api/traces/{trace_id}"}, export...)...)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				link := regexp.MustCompile(`(?m)^cbc-otel: trace: (http\S+)$`).FindSubmatch(out)
				if link == nil {
					t.Fatalf("no link in:\n%s", out)
				}
				if err := program.OK(string(link[1]))(); err != nil {
					t.Errorf("%s: %v", link[1], err)
				}
			})
			t.Run("captures", func(t *testing.T) {
				args := append([]string{"replay"}, export...)
				for _, c := range testdata.Captures() {
					path, err := c.Path()
					if err != nil {
						t.Fatal(err)
					}
					args = append(args, path)
				}
				run(t, command(t, args...))
			})
			t.Run("link", func(t *testing.T) {
				cmd := command(t, append(append([]string{"--parent", "link"}, export...), "--", cbcOtel(t), "simulate", "--sim-speed", "50", "-p", "go", "--output-format", "stream-json")...)
				cmd.Env = append(cmd.Env, "TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
				run(t, cmd)
			})
			t.Run("1000 agents", func(t *testing.T) {
				cmd := command(t, append(append([]string{}, export...), "--", cbcOtel(t), "simulate", "--sim-flavour", "claude", "--sim-scenario", "fan-out",
					"--sim-agents", "1000", "--sim-start", "2026-01-02T03:04:05Z", "-p", "go", "--output-format", "stream-json")...)
				cmd.Stdout = io.Discard
				if err := cmd.Run(); err != nil {
					t.Fatal(err)
				}
			})

			spans := file(t, sent)
			b.same(t, spans)
			expect(t, spans)
		})
	}
}

// expect checks that what was compared was worth it.
func expect(t *testing.T, spans []tree.Span) {
	t.Helper()
	traces := tree.Traces(spans)
	most, events, links, failed := 0, 0, 0, 0
	for id, trace := range traces {
		if p := tree.Problems(trace); len(p) > 0 {
			t.Errorf("trace %s: %q", id, p)
		}
		most = max(most, len(trace))
		for _, s := range trace {
			events += len(s.Events)
			links += len(s.Links)
			if s.Error {
				failed++
			}
		}
	}
	t.Logf("%d traces, %d spans, the largest of %d; %d events, %d links, %d errors", len(traces), len(spans), most, events, links, failed)
	if len(traces) < 20 || most < 1002 || events == 0 || links == 0 || failed == 0 {
		t.Error("too little to compare")
	}
}
