package simcbc

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args   string
		env    map[string]string
		want   invocation
		failed string
	}{
		{args: "-p hello", want: invocation{print: true, prompt: "hello", input: "text", output: "text"}},
		{
			args: "-p --input-format stream-json --output-format=stream-json --verbose --permission-mode bypassPermissions --model m",
			want: invocation{print: true, input: "stream-json", output: "stream-json"},
		},
		{args: "--setting-sources user topic=foo --unknown", want: invocation{prompt: "topic=foo", input: "text", output: "text"}},
		{
			args: "--sim-late=2s --sim-speed 10",
			env:  map[string]string{"CBC_SIM_SPEED": "5", "CBC_SIM_INTERRUPT_AFTER": "1s", "CODEBUDDY_DISABLE_WORKFLOWS": "1"},
			want: invocation{input: "text", output: "text", opt: Options{Late: 2 * time.Second, Speed: 10, InterruptAfter: time.Second, disabled: true}},
		},
		{args: "--sim-sped 10", failed: "unknown flag --sim-sped"},
		{args: "--sim-speed", failed: "--sim-speed: --sim-speed needs a value"},
		{args: "--sim-speed fast", failed: `--sim-speed: strconv.ParseFloat: parsing "fast": invalid syntax`},
		{args: "--model", failed: "--model needs a value"},
		{args: "--output-format xml", failed: `--output-format "xml": want stream-json, json or text`},
		{env: map[string]string{"CBC_SIM_SEED": "x"}, failed: `CBC_SIM_SEED: strconv.ParseUint: parsing "x": invalid syntax`},
	}
	for _, tt := range tests {
		got, err := parse(strings.Fields(tt.args), func(k string) string { return tt.env[k] })
		if tt.failed != "" {
			if err == nil || err.Error() != tt.failed {
				t.Errorf("%q: error %v, want %s", tt.args, err, tt.failed)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("%q: got %+v, %v, want %+v", tt.args, got, err, tt.want)
		}
	}
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"--sim-flavour gpt":    "simulated CLI: flavour \"gpt\": want cbc or claude\n",
		"--sim-scenario x":     "simulated CLI: scenario \"x\": want one of " + strings.Join(Scenarios(), ", ") + "\n",
		"--sim-concurrency -1": "simulated CLI: speed, agents and concurrency must not be negative\n",
	}
	for args, want := range tests {
		var stderr strings.Builder
		if code := Main(strings.Fields(args), nil, nil, &stderr, noenv); code != 2 || stderr.String() != want {
			t.Errorf("%s: exit code %d, stderr %q, want %q", args, code, &stderr, want)
		}
	}
}

// Without stream-json only the answer of the last turn is written, and the prompt may come from stdin.
func TestOtherOutputFormats(t *testing.T) {
	t.Parallel()
	var text, object strings.Builder
	args := []string{"-p", "--sim-start", start, "--sim-seed", "1"}
	if code := Main(args, strings.NewReader("go\n"), &text, &text, noenv); code != 0 || text.String() != "The workflow release-audit has ended.\n" {
		t.Errorf("text: exit code %d, %q", code, &text)
	}
	if code := Main(append(args, "--output-format", "json"), strings.NewReader("/none"), &object, &object, noenv); code != 0 {
		t.Errorf("json: exit code %d", code)
	}
	var result struct{ Type, Result string }
	if err := json.Unmarshal([]byte(object.String()), &result); err != nil || result.Type != "result" || result.Result != "Hello." {
		t.Errorf("json: %q, %v", &object, err)
	}
}

func TestWorkflowsDisabled(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	env := func(k string) string { return map[string]string{"CODEBUDDY_DISABLE_WORKFLOWS": "1"}[k] }
	code := Main([]string{"-p", "go", "--output-format", "stream-json", "--sim-start", start}, nil, &out, &out, env)
	if code != 0 || strings.Contains(out.String(), "task_") || !strings.Contains(out.String(), "Workflows are disabled.") {
		t.Errorf("exit code %d, %s", code, &out)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestStdoutClosed(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	code := Main([]string{"-p", "go", "--output-format", "stream-json", "--sim-start", start}, nil, brokenPipe{}, &stderr, noenv)
	if code != 1 || stderr.String() != "simulated CLI: broken pipe\n" {
		t.Errorf("exit code %d, stderr %q", code, &stderr)
	}
}
