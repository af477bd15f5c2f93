package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cbc-otel/test/e2e/internal/fakemodel"
	"cbc-otel/test/e2e/internal/stream"
)

// sdkPackages are the vendors' SDKs; cbc comes inside the second.
var sdkPackages = []string{"@anthropic-ai/claude-agent-sdk@0.3.333", "@tencent-ai/agent-sdk@0.3.201"}

// node runs a script of the folder sdk with a model.
func node(t *testing.T, model http.Handler, env func(url string) []string, script string, args ...string) outcome {
	t.Helper()
	server := httptest.NewServer(model)
	defer server.Close()
	cmd := exec.Command("node", append([]string{filepath.Join(root, "test/e2e/sdk", script)}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{
		"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TERM=dumb", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
	}, env(server.URL)...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	lines := stream.Read([]byte(stdout.String()))
	o := outcome{stdout: stdout.String(), stderr: stderr.String(), status: cmd.ProcessState.String(), tasks: stream.Tasks(lines)}
	for _, l := range lines {
		o.kinds = append(o.kinds, strings.TrimSpace(l.Type+" "+l.Subtype+" "+l.Result))
	}
	slices.Sort(o.kinds)
	o.kinds = slices.Compact(o.kinds)
	return o
}

// TestSDKClaude: the Claude Agent SDK starts a link of the name claude, configured by environment alone.
func TestSDKClaude(t *testing.T) {
	t.Parallel()
	modules := npm(t, sdkPackages...)
	claude := filepath.Join(npm(t, "@anthropic-ai/claude-code@latest"), ".bin", "claude")
	b := startJaeger(t)
	dir := t.TempDir()
	shim, sent := filepath.Join(dir, "claude"), filepath.Join(dir, "sent.jsonl")
	if err := os.Symlink(cbcOtel(t), shim); err != nil {
		t.Fatal(err)
	}
	drive := func(executable string, env ...string) outcome {
		return node(t, &fakemodel.Anthropic{Scripts: map[string]string{"it": audit}}, func(url string) []string {
			return append(append(claudeEnv(url), "PATH="+filepath.Dir(claude)+":"+os.Getenv("PATH")), env...)
		}, "claude.mjs", modules, executable, "please run:it")
	}
	bare := drive(claude)
	wrapped := drive(shim, "CBC_OTEL_EXPORTER=otlp,file", "CBC_OTEL_FILE="+sent, "CBC_OTEL_ENDPOINT=http://"+b.grpc, "CBC_OTEL_FLUSH_TIMEOUT=1m")
	compare(t, bare, wrapped, false)
	spans := file(t, sent)
	b.same(t, spans)
	b.tells(t, wrapped, spans)
}

// TestSDKCodeBuddy: the CodeBuddy Agent SDK starts its CLI with cbc-otel in front of node.
func TestSDKCodeBuddy(t *testing.T) {
	t.Parallel()
	modules := npm(t, sdkPackages...)
	receipt := filepath.Join(t.TempDir(), "receipt.json")
	drive := func(executable ...string) outcome {
		return node(t, fakemodel.OpenAI{}, func(url string) []string {
			return []string{"CODEBUDDY_API_KEY=none", "CODEBUDDY_BASE_URL=" + url + "/v1", "CODEBUDDY_MODEL=fake-model", "CBC_OTEL_EXPORTER=none", "CBC_OTEL_RECEIPT=" + receipt}
		}, "codebuddy.mjs", append([]string{modules, "hello"}, executable...)...)
	}
	bare := drive("node")
	wrapped := drive(cbcOtel(t), "--", "node")
	compare(t, bare, wrapped, false)
	if !strings.Contains(wrapped.stdout, fakemodel.Greeting) {
		t.Errorf("stdout:\n%.2000s\nstderr:\n%s", wrapped.stdout, wrapped.stderr)
	}
	if _, err := os.Stat(receipt); err != nil {
		t.Error("the SDK did not go through cbc-otel:", err)
	}
}
