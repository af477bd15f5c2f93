package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cbc-otel/internal/otlptest"
)

// canaryStream has one canary in each place of a workflow's lines. Its agents never end, so that it is journaled.
const canaryStream = `{"type":"control_response","response":{"subtype":"success","response":{"account":{"email":"canary-account@example.invalid","token":"canary-account-token"}}}}
{"type":"system","subtype":"init","session_id":"canary-session","cwd":"/canary-cwd"}
{"type":"user","session_id":"canary-session","message":{"content":"canary-message task_started"},"tool_use_result":{"taskId":"t","runId":"wf_1","scriptPath":"/canary-script-path","transcriptDir":"/canary-transcript"}}
{"type":"system","subtype":"task_started","task_type":"local_workflow","task_id":"t","session_id":"canary-session","workflow_name":"canary-name","description":"canary-description","prompt":"canary-script"}
{"type":"system","subtype":"task_progress","task_id":"t","summary":"canary-summary","description":"canary-progress","last_tool_name":"canary-last","workflow_progress":[{"type":"workflow_phase","index":1,"title":"canary-title"},` +
	`{"type":"workflow_agent","index":1,"label":"canary-label","phaseIndex":1,"state":"error","error":"canary-error\ncanary-stack","promptPreview":"canary-prompt","startedAt":1796160376397},` +
	`{"type":"workflow_agent","index":2,"label":"canary-derived","phaseIndex":1,"state":"done","promptPreview":"canary-derived","resultPreview":"canary-result","lastToolSummary":"canary-tool","startedAt":1796160376397},` +
	`{"type":"workflow_agent","index":3,"label":"token=ghp_canarycanarycanarycanarycanarycana","phaseIndex":1,"state":"start","startedAt":1796160376397}]}
`

// Places that may leave by default, and those that may with --content. All others never may.
var (
	metadata = []string{"canary-session", "canary-name", "canary-title", "canary-label", "canary-error"}
	content  = []string{"canary-description", "canary-script", "canary-summary", "canary-stack", "canary-prompt", "canary-derived", "canary-result", "canary-tool"}
	never    = []string{"canary-account", "canary-cwd", "canary-message", "canary-script-path", "canary-transcript", "canary-progress", "canary-last", "ghp_canary", "canary-argument", "canary-environment", "canary-header"}
)

// TestCanaries looks for each canary in everything the program writes but the forwarded stream: spans over OTLP, the
// file, the store, the console, the receipt, the journal of a killed run, the spools, the logs; and metrics.
func TestCanaries(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, settings string
		allowed        []string
	}{
		{"default", "", metadata},
		{"with content", "content: true\n", append(append([]string{}, metadata...), content...)},
		{"no names and no error text", "names: {agent: none}\nerrors: type\n", []string{"canary-session", "canary-name", "canary-title"}},
		{"one rule forbids a title everywhere", "redaction: {blocked_values: [canary-title]}\n", []string{"canary-session", "canary-name", "canary-label", "canary-error"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			written := everythingWritten(t, test.settings)
			if len(written) < 8 {
				t.Errorf("only %d things were written", len(written))
			}
			allowed := map[string]bool{}
			for _, c := range test.allowed {
				allowed[c] = true
			}
			seen := map[string]bool{}
			for place, data := range written {
				for _, canary := range append(append(append([]string{}, metadata...), content...), never...) {
					if !bytes.Contains(data, []byte(canary)) {
						continue
					}
					seen[canary] = true
					if !allowed[canary] {
						t.Errorf("%s is in %s", canary, place)
					}
				}
			}
			for _, place := range []string{"/traces/", "/spool/", "/journal/", "stderr", "spans received"} {
				found := false
				for name, data := range written {
					found = found || strings.Contains(name, place) && bytes.Contains(data, []byte("canary-name"))
				}
				if !found {
					t.Errorf("nothing is in %s, so nothing was looked for there", place)
				}
			}
			// Metrics are for many runs: nothing of a single one is in them, allowed or not.
			for _, place := range []string{"metrics received", "/spool-metrics/"} {
				var data []byte
				for name := range written {
					if strings.Contains(name, place) {
						data = append(data, written[name]...)
					}
				}
				if !bytes.Contains(data, []byte("cbc.agents")) || bytes.Contains(data, []byte("canary")) {
					t.Errorf("%s holds no metrics, or canaries: %q", place, data)
				}
			}
			for canary := range allowed {
				if !seen[canary] {
					t.Errorf("%s is nowhere", canary)
				}
			}
		})
	}
}

func everythingWritten(t *testing.T, settings string) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	write := func(name, data string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	stream := write("stream.in", canaryStream)
	receiver := otlptest.New(t, otlptest.Config{})
	refused := "http://" + otlptest.Refused
	out := filepath.Join(dir, "written")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	written := map[string][]byte{}
	run := func(name, endpoint string, exporters []string, command ...string) *exec.Cmd {
		config := write(name+".config.yaml", settings+"metrics: {enabled: true}\nexporter: ["+strings.Join(exporters, ", ")+"]\n"+
			"otlp: {endpoint: \""+endpoint+"\", protocol: http/protobuf, headers: {x-key: canary-header}}\n")
		args := append([]string{"--config", config, "--log-level", "debug", "--receipt", filepath.Join(out, name+".receipt"), "--"}, command...)
		cmd := exec.Command("cbc-otel", args...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(out, "state"), "SECRET=canary-environment")
		return cmd
	}
	play := []string{"sh", "-c", "cat " + stream, "canary-argument"}
	for name, c := range map[string]*exec.Cmd{
		"sent":    run("sent", receiver.HTTPURL(), []string{"otlp", "console"}, play...),
		"stored":  run("stored", refused, []string{"file", "console"}, play...),
		"spooled": run("spooled", refused, []string{"otlp"}, play...),
	} {
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, &stderr)
		}
		written[name+" stderr"] = stderr.Bytes()
	}
	written["spans received"] = fmt.Append(nil, receiver.Spans())
	for _, req := range receiver.Requests() {
		if req.Metrics != nil {
			written["metrics received"] = fmt.Append(written["metrics received"], req.Metrics)
		}
	}

	// A run that is killed leaves its journal.
	killed := run("killed", refused, []string{"otlp"}, "sh", "-c", "cat "+stream+"; exec sleep 1000")
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		found, _ := filepath.Glob(filepath.Join(out, "state", "cbc-otel", "journal", "*"))
		if data := readAll(found); bytes.Contains(data, []byte("invoke_agent")) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing was journaled")
		}
	}
	_ = killed.Process.Kill()
	_ = killed.Wait()

	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			written[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return written
}

func readAll(files []string) (all []byte) {
	for _, f := range files {
		data, _ := os.ReadFile(f)
		all = append(all, data...)
	}
	return all
}
