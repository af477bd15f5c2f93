package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cbc-otel/test/e2e/internal/fakemodel"
	"cbc-otel/test/e2e/internal/program"
	"cbc-otel/test/e2e/internal/realcli"
	"cbc-otel/test/e2e/internal/stream"
	"cbc-otel/test/e2e/internal/tree"
)

// npm returns the node_modules of the packages. Without npm the test fails, unless it is told to leave it.
func npm(t *testing.T, packages ...string) string {
	t.Helper()
	if os.Getenv("E2E_SKIP_NPM") == "1" {
		t.Skip("E2E_SKIP_NPM=1")
	}
	dir, err := realcli.Install(packages...)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// outcome is what whoever started a CLI sees of it.
type outcome struct {
	stdout, stderr string
	status         string // as os.ProcessState says it
	tasks          []*stream.Task
	kinds          []string // types and subtypes of the lines, each once
}

// outlines draws the workflows, sorted: which of two starts first is chance.
func (o outcome) outlines() string {
	var out []string
	for _, t := range o.tasks {
		out = append(out, t.Outline())
	}
	slices.Sort(out)
	return strings.Join(out, "")
}

// play runs a command line of a CLI, after the words of a wrapper, through a scenario with a model.
func play(t *testing.T, model http.Handler, env func(url string) []string, wrapper, cli []string, sc scenario) outcome {
	t.Helper()
	server := httptest.NewServer(model)
	defer server.Close()
	home := t.TempDir()
	stderr, err := os.Create(filepath.Join(home, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close() //nolint:errcheck // it is read again by name
	argv := append(append(append([]string{}, wrapper...), cli...), "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions")
	if sc.prompt != "" {
		argv = append(argv, sc.prompt)
	} else {
		argv = append(argv, "--input-format", "stream-json")
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
	}, env(server.URL)...)
	s, err := realcli.Start(cmd, stderr)
	if err != nil {
		t.Fatal(err)
	}
	if sc.drive != nil {
		sc.drive(s)
	}
	stdout, state, err := s.End(program.Patience)
	if err != nil {
		t.Errorf("%s: %v", sc.name, err)
	}
	text, _ := os.ReadFile(stderr.Name())
	lines := stream.Read(stdout)
	o := outcome{stdout: string(stdout), stderr: string(text), status: state.String(), tasks: stream.Tasks(lines)}
	for _, l := range lines {
		o.kinds = append(o.kinds, strings.TrimSpace(l.Type+" "+l.Subtype))
	}
	slices.Sort(o.kinds)
	o.kinds = slices.Compact(o.kinds)
	return o
}

func claudeEnv(url string) []string {
	return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-e2e-none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "IS_SANDBOX=1"}
}

// TestClaude runs Claude Code with a fake model, bare and wrapped: who started it sees the same, and Jaeger has
// the workflows that the stream tells of.
func TestClaude(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2.1.220", "latest"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			claude := filepath.Join(npm(t, "@anthropic-ai/claude-code@"+version), ".bin", "claude")
			if out, err := exec.Command(claude, "--version").Output(); err == nil {
				t.Logf("claude --version: %s", out)
			}
			b := startJaeger(t)
			// Its subtests are parallel, and Jaeger is to outlive them.
			t.Run("scenario", func(t *testing.T) {
				for _, sc := range scenarios() {
					t.Run(sc.name, func(t *testing.T) {
						t.Parallel()
						cli := []string{claude, "--model", "claude-sonnet-4-5"}
						bare := play(t, &fakemodel.Anthropic{Scripts: sc.scripts}, claudeEnv, nil, cli, sc)
						wrapped, spans := playWrapped(t, b, &fakemodel.Anthropic{Scripts: sc.scripts}, claudeEnv, cli, sc)
						compare(t, bare, wrapped, sc.races)
						b.same(t, spans)
						b.tells(t, wrapped, spans)
					})
				}
			})
		})
	}
}

// TestCBC: the cbc that can be had from npm is older than workflow events. It passes through unchanged and makes no spans.
func TestCBC(t *testing.T) {
	t.Parallel()
	modules := npm(t, sdkPackages...)
	b := startJaeger(t)
	cli := []string{"node", filepath.Join(modules, "@tencent-ai/agent-sdk/cli/bin/codebuddy")}
	env := func(url string) []string {
		return []string{"CODEBUDDY_API_KEY=none", "CODEBUDDY_BASE_URL=" + url + "/v1", "CODEBUDDY_MODEL=fake-model"}
	}
	hello := scenario{name: "hello", drive: func(s *realcli.Session) {
		s.User("hello")
		s.Wait(patience, func(lines []stream.Line) bool {
			return slices.ContainsFunc(lines, func(l stream.Line) bool { return l.Type == "result" })
		})
	}}
	bare := play(t, fakemodel.OpenAI{}, env, nil, cli, hello)
	wrapped, spans := playWrapped(t, b, fakemodel.OpenAI{}, env, cli, hello)
	compare(t, bare, wrapped, false)
	if !strings.Contains(wrapped.stdout, fakemodel.Greeting) || len(spans) > 0 {
		t.Errorf("%d spans; stdout:\n%.2000s", len(spans), wrapped.stdout)
	}
}

// playWrapped plays under cbc-otel and returns the spans it made as well.
func playWrapped(t *testing.T, b *backend, model http.Handler, env func(string) []string, cli []string, sc scenario, flags ...string) (outcome, []tree.Span) {
	t.Helper()
	dir := t.TempDir()
	sent, receipt := filepath.Join(dir, "sent.jsonl"), filepath.Join(dir, "receipt.json")
	export := []string{"--exporter", "otlp,file", "--file", sent, "--endpoint", "http://" + b.grpc, "--flush-timeout", "1m"}
	state := "XDG_STATE_HOME=" + filepath.Join(dir, "state")
	o := play(t, model, func(url string) []string { return append(env(url), state) },
		slices.Concat([]string{cbcOtel(t), "--receipt", receipt}, export, flags, []string{"--"}), cli, sc)
	if sc.lost { // what the killed wrapper could not send is in its journal
		cmd := command(t, append([]string{"recover"}, export...)...)
		cmd.Env = append(cmd.Env, state)
		run(t, cmd)
	} else {
		forwarded(t, receipt, o.stdout)
	}
	spans, err := tree.File(sent)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return o, spans
}

// forwarded checks that what came out is what went in, by the wrapper's own account.
func forwarded(t *testing.T, receipt, stdout string) {
	t.Helper()
	b, err := os.ReadFile(receipt)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Stdout struct{ SHA256 string }
		Events struct{ Unparsable, Oversize int }
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(stdout))
	if r.Stdout.SHA256 != hex.EncodeToString(sum[:]) || r.Events.Unparsable+r.Events.Oversize > 0 {
		t.Errorf("receipt: %s", b)
	}
}

// compare checks that both runs look the same to whoever started them; with races the workflows may have got
// differently far.
func compare(t *testing.T, bare, wrapped outcome, races bool) {
	t.Helper()
	if bare.status != wrapped.status {
		t.Errorf("bare: %s, wrapped: %s", bare.status, wrapped.status)
	}
	if bare.stderr != wrapped.stderr {
		t.Errorf("stderr, bare:\n%s\nwrapped:\n%s", bare.stderr, wrapped.stderr)
	}
	if races {
		return
	}
	if b, w := bare.outlines(), wrapped.outlines(); b != w {
		t.Errorf("workflows, bare:\n%s\nwrapped:\n%s", b, w)
	}
	if b, w := strings.Join(bare.kinds, ", "), strings.Join(wrapped.kinds, ", "); b != w {
		t.Errorf("messages, bare: %s\nwrapped: %s", b, w)
	}
}

// tells checks that the traces in Jaeger tell what the stream tells, and shows them.
func (b *backend) tells(t *testing.T, o outcome, spans []tree.Span) {
	t.Helper()
	if len(o.tasks) == 0 {
		t.Fatalf("no workflow ran; stderr:\n%s\nstdout:\n%.3000s", o.stderr, o.stdout)
	}
	traces := tree.Traces(spans)
	if len(traces) != len(o.tasks) {
		t.Errorf("%d traces of %d workflows", len(traces), len(o.tasks))
	}
	for id := range traces {
		trace, _, err := b.Trace(context.Background(), id, false)
		if err != nil || len(trace.Spans) == 0 {
			t.Fatalf("trace %s: %d spans, %v", id, len(trace.Spans), err)
		}
		task := ""
		for _, s := range trace.Spans {
			if v := s.Value("cbc.task.id"); v != "" {
				task = v
			}
		}
		i := slices.IndexFunc(o.tasks, func(t *stream.Task) bool { return t.ID == task })
		if i < 0 {
			t.Errorf("no workflow %q in the stream", task)
			continue
		}
		if got, want := tree.Outline(trace.Spans), o.tasks[i].Outline(); got != want {
			t.Errorf("Jaeger tells:\n%s\nthe stream tells:\n%s", got, want)
		}
		if p := tree.Problems(trace.Spans); len(p) > 0 {
			t.Errorf("trace %s: %q", id, p)
		}
		if len(trace.Spans) < 20 {
			t.Logf("as Jaeger returned it:\n%s", tree.Show(trace.Spans))
		}
	}
}
