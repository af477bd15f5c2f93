package examples

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func (m *machine) checksum() {
	m.t.Helper()
	data, err := os.ReadFile(m.program)
	if err != nil {
		m.t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	m.env = append(m.env, "WRAPPER_SHA256="+hex.EncodeToString(sum[:]))
}

func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip(err)
		}
	}
}

func TestGitHubActions(t *testing.T) {
	t.Parallel()
	need(t, "curl", "sha256sum")
	m := newMachine(t, "claude", "01-success")
	m.checksum()
	job := at(t, parse(t, "github-actions/workflow.yml"), "jobs", "audit")
	summary, path := filepath.Join(m.dir, "step.md"), filepath.Join(m.dir, "path")
	m.env = append(m.env, "RUNNER_TEMP="+m.dir, "GITHUB_PATH="+path, "GITHUB_STEP_SUMMARY="+summary,
		"CBC_OTEL_SUMMARY="+at(t, job, "env", "CBC_OTEL_SUMMARY").(string))
	for i, step := range at(t, job, "steps").([]any) {
		script, ok := step.(map[string]any)["run"].(string)
		if !ok {
			continue
		}
		if i == len(at(t, job, "steps").([]any))-1 { // the runner puts what is in the file before PATH for later steps
			m.env = append(m.env, "PATH="+strings.TrimSpace(read(t, path))+":"+filepath.Join(m.dir, "bin")+":"+os.Getenv("PATH"))
		}
		m.sh(script)
	}
	m.audited()
	m.received()
	if !strings.Contains(read(t, summary), "### Workflow repo-audit") {
		t.Error("no summary")
	}
}

func TestGitLabCI(t *testing.T) {
	t.Parallel()
	need(t, "curl", "sha256sum")
	m := newMachine(t, "claude", "01-success")
	m.checksum()
	job := at(t, parse(t, "gitlab-ci/.gitlab-ci.yml"), "audit")
	m.env = append(m.env, "CI_PROJECT_DIR="+m.dir, "CBC_OTEL_SUMMARY="+at(t, job, "variables", "CBC_OTEL_SUMMARY").(string))
	m.sh(text(at(t, job, "before_script")) + text(at(t, job, "script")))
	m.audited()
	m.received()
	if !strings.Contains(read(t, filepath.Join(m.dir, at(t, job, "artifacts", "paths", 0).(string))), "### Workflow repo-audit") {
		t.Error("no summary")
	}
}

func TestJenkins(t *testing.T) {
	t.Parallel()
	script := regexp.MustCompile(`(?s)sh '''(.*?)'''`).FindStringSubmatch(read(t, "jenkins/Jenkinsfile"))
	if script == nil {
		t.Fatal("no script")
	}
	m := newMachine(t, "claude", "01-success")
	m.env = append(m.env, "WORKSPACE="+m.dir)
	m.sh(script[1])
	m.audited()
	m.received()
}

func TestCNB(t *testing.T) {
	t.Parallel()
	need(t, "curl", "sha256sum")
	m := newMachine(t, "cbc", "01-success")
	m.checksum()
	stage := at(t, parse(t, "cnb/.cnb.yml"), "main", "push", 0, "stages", 0)
	m.sh(strings.ReplaceAll(at(t, stage, "script").(string), "/opt/shims", m.dir+"/shims"))
	m.audited()
	m.received()
}

func TestKubernetes(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "claude", "01-success")
	spec := at(t, parse(t, "kubernetes/job.yaml"), "spec", "template", "spec")
	here := strings.NewReplacer("/usr/local/bin/cbc-otel", m.program, "/shims", m.dir+"/shims").Replace
	m.write("shims/.keep", "", 0o600)
	for _, c := range []any{at(t, spec, "initContainers", 0), at(t, spec, "containers", 0)} {
		command := at(t, c, "command").([]any)
		if args, ok := c.(map[string]any)["args"].([]any); ok {
			command = append(command, args...)
		}
		words := make([]string, len(command))
		for i := range command {
			words[i] = here(command[i].(string))
		}
		if out := m.run(words[0], words[1:]...); len(words) == 3 && words[0] == "sh" && out != read(t, filepath.Join(m.dir, "stream.ndjson")) {
			t.Errorf("the output of the command is different: %d bytes", len(out))
		}
	}
	m.received()
	if !strings.Contains(read(t, "../deploy/image/Dockerfile"), " /usr/local/bin/cbc-otel\n") {
		t.Error("the program is elsewhere in the image")
	}
}

// Stand-ins for the SDKs start what the options name, as the real ones do, and yield what it prints. (That the
// real ones do so is shown in test/e2e.)
const claudeSDK = `
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
export async function* query({ prompt, options }) {
  const child = spawn(options.pathToClaudeCodeExecutable, ['--output-format', 'stream-json', '--verbose', '-p', prompt], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line)
}`

const codebuddySDK = `
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
export async function* query({ prompt, options }) {
  const child = spawn(options.executable, [...options.executableArgs, process.env.SDK_CLI, '--output-format', 'stream-json', '-p', prompt], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line)
}`

func TestTypeScript(t *testing.T) {
	t.Parallel()
	need(t, "node")
	for name, sdk := range map[string]struct{ module, text string }{
		"claude":    {"@anthropic-ai/claude-agent-sdk", claudeSDK},
		"codebuddy": {"@tencent-ai/agent-sdk", codebuddySDK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(read(t, "sdk-typescript/package.json"), `"`+sdk.module+`"`) {
				t.Errorf("%s is no dependency", sdk.module)
			}
			m := newMachine(t, "claude", "01-success")
			m.write("node_modules/"+sdk.module+"/package.json", `{"type": "module", "exports": "./sdk.js"}`, 0o600)
			m.write("node_modules/"+sdk.module+"/sdk.js", sdk.text, 0o600)
			m.write("cli.js", "process.stdout.write(require('fs').readFileSync('"+m.dir+"/stream.ndjson'))\n", 0o600)
			m.write("main.mjs", read(t, "sdk-typescript/"+name+".ts"), 0o600) // it has no syntax of TypeScript
			m.shim()
			m.env = append(m.env, "SDK_CLI="+m.dir+"/cli.js")
			if out := m.run("node", "main.mjs"); out != "success\nsuccess\n" {
				t.Errorf("%q", out)
			}
			m.received()
		})
	}
}

const pythonSDK = `
import asyncio, json
from dataclasses import dataclass

@dataclass
class ClaudeAgentOptions:
    cli_path: str
    permission_mode: str

@dataclass
class ResultMessage:
    subtype: str

async def query(prompt, options):
    child = await asyncio.create_subprocess_exec(options.cli_path, "--output-format", "stream-json", "--verbose", "-p", prompt,
        stdout=asyncio.subprocess.PIPE, limit=1 << 24)
    async for line in child.stdout:
        message = json.loads(line)
        if message["type"] == "result":
            yield ResultMessage(message["subtype"])
    await child.wait()
`

func TestPython(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	m := newMachine(t, "claude", "01-success")
	m.write("claude_agent_sdk.py", pythonSDK, 0o600)
	m.write("main.py", read(t, "sdk-python/main.py"), 0o600)
	m.shim()
	if out := m.run("python3", "main.py"); out != "success\nsuccess\n" {
		t.Errorf("%q", out)
	}
	m.received()
	if !strings.HasPrefix(read(t, "sdk-python/requirements.txt"), "claude-agent-sdk") {
		t.Error("requirements.txt")
	}
}

// shim makes the link that the examples for SDKs speak of.
func (m *machine) shim() {
	m.t.Helper()
	m.write("shims/.keep", "", 0o600)
	if err := os.Symlink(m.program, filepath.Join(m.dir, "shims", "claude")); err != nil {
		m.t.Fatal(err)
	}
}
