package e2e

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"cbc-otel/test/e2e/internal/fakemodel"
	"cbc-otel/test/e2e/internal/program"
	"cbc-otel/test/e2e/internal/tree"
)

// TestNative merges the telemetry of real Claude Code: Jaeger has one trace of everything, and in it each agent has
// the tokens that the model served to it.
func TestNative(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2.1.220", "latest"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			claude := filepath.Join(npm(t, "@anthropic-ai/claude-code@"+version), ".bin", "claude")
			b := startJaeger(t)
			t.Run("scenario", func(t *testing.T) {
				for _, sc := range scenarios() {
					switch sc.name {
					case "success", "held up", "two at once", "150 agents", "interrupt":
					default:
						continue
					}
					t.Run(sc.name, func(t *testing.T) {
						t.Parallel()
						model := &fakemodel.Anthropic{Scripts: sc.scripts}
						cli := []string{claude, "--model", "claude-sonnet-4-5"}
						o, spans := playWrapped(t, b, model, claudeEnv, cli, sc, "--native", "merge", "--session-span")
						b.same(t, spans)
						b.sums(t, spans, len(o.tasks), model.Served())
					})
				}
			})
		})
	}
}

// sums checks the tokens in the one trace there is.
func (b *backend) sums(t *testing.T, spans []tree.Span, workflows int, served map[string]fakemodel.Served) {
	t.Helper()
	traces := tree.Traces(spans)
	if len(traces) != 1 {
		t.Fatalf("%d traces", len(traces))
	}
	trace, _, err := b.Trace(context.Background(), spans[0].TraceID, false)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]tree.Span{}
	for _, s := range trace.Spans {
		by[s.ID] = s
	}
	want := map[string]fakemodel.Served{} // by span of the agent
	counted := map[string]bool{"": true}
	roots, found, interactions := 0, 0, 0
	for _, s := range trace.Spans {
		if s.Parent == "" {
			roots++
		}
		if s.Name == "claude_code.interaction" {
			interactions++
		}
		if s.Value("cbc.workflow.status") != "" {
			found++
		}
		id := s.Value("agent_id")
		if s.Value("cbc.native.kind") != "request" || id == "" || counted[id] {
			continue
		}
		if by[s.Parent].Value("cbc.agent.index") == "" {
			t.Errorf("a request of agent %s is below %q", id, by[s.Parent].Name)
		}
		counted[id] = true
		sum := want[s.Parent]
		want[s.Parent] = fakemodel.Served{Requests: sum.Requests + served[id].Requests, Input: sum.Input + served[id].Input, Output: sum.Output + served[id].Output}
	}
	for id := range served {
		if !counted[id] {
			t.Errorf("agent %s was served %+v, and no request of it is there", id, served[id])
		}
	}
	if roots != 1 || found != workflows || interactions == 0 {
		t.Errorf("%d roots, %d workflows of %d, %d interactions", roots, found, workflows, interactions)
	}
	agents := 0
	for id, w := range want {
		agents++
		in, out := count(by[id], "gen_ai.usage.input_tokens"), count(by[id], "gen_ai.usage.output_tokens")
		if in < w.Input && by[id].Value("cbc.usage.partial") == "true" {
			t.Logf("%s: on this machine the CLI needed more than a second to tell of a request", by[id].Name)
			continue
		}
		if in != w.Input || out != w.Output {
			t.Errorf("%s: %d in, %d out, served %+v", by[id].Name, in, out, w)
		}
	}
	t.Logf("%d spans, %d agents with tokens", len(trace.Spans), agents)
	if len(trace.Spans) < 40 {
		t.Logf("as Jaeger returned it:\n%s", tree.Show(trace.Spans))
	}
}

func count(s tree.Span, key string) int {
	n, _ := strconv.Atoi(s.Value(key))
	return n
}

// TestSessionSpan: with its own traces on, Claude Code's spans are inside the command's span without any merging.
func TestSessionSpan(t *testing.T) {
	t.Parallel()
	claude := filepath.Join(npm(t, "@anthropic-ai/claude-code@latest"), ".bin", "claude")
	b := startJaeger(t)
	env := func(url string) []string {
		return append(claudeEnv(url), "CLAUDE_CODE_ENABLE_TELEMETRY=1", "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=1", "OTEL_TRACES_EXPORTER=otlp",
			"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://"+b.http+"/v1/traces")
	}
	sc := scenarios()[0]
	_, spans := playWrapped(t, b, &fakemodel.Anthropic{Scripts: sc.scripts}, env, []string{claude, "--model", "claude-sonnet-4-5"}, sc, "--session-span", "--protocol", "grpc")
	if len(spans) == 0 {
		t.Fatal("no spans")
	}
	ctx, cancel := context.WithTimeout(context.Background(), program.Patience)
	defer cancel()
	if _, err := b.Wait(ctx, spans[0].TraceID, len(spans)+10); err != nil {
		t.Error(err)
	}
	trace, _, err := b.Trace(context.Background(), spans[0].TraceID, false)
	if err != nil {
		t.Fatal(err)
	}
	root, native, workflows := "", 0, 0
	for _, s := range trace.Spans {
		switch {
		case s.Parent == "":
			root = s.Name
		case strings.HasPrefix(s.Name, "claude_code."):
			native++
		case s.Value("cbc.workflow.status") != "":
			workflows++
		}
	}
	if root != "claude" || native < 10 || workflows != 1 {
		t.Errorf("root %q, %d spans of the CLI, %d workflows in one trace of %d", root, native, workflows, len(trace.Spans))
	}
	t.Logf("as Jaeger returned it:\n%s", tree.Show(trace.Spans))
}
