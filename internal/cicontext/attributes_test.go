package cicontext

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"cbc-otel/mapping"
)

var update = flag.Bool("update", false, "rewrite the .want files and docs/ci.md")

func environment(text string) func(string) string {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		values[name] = value
	}
	return func(name string) string { return values[name] }
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func list(attrs []mapping.Attribute) string {
	var b strings.Builder
	for _, a := range attrs {
		fmt.Fprintf(&b, "%s=%v\n", a.Key, a.Value)
	}
	return b.String()
}

// The files in testdata hold variables as each system documents them, with canaries in place of what must not
// leave: tokens, people, titles and messages.
func TestRecordedJobs(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.env")
	if err != nil || len(files) != len(systems) {
		t.Fatalf("%d files for %d systems, %v", len(files), len(systems), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			env := read(t, file)
			got := list(Attributes(environment(env)))
			golden := strings.TrimSuffix(file, ".env") + ".want"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(read(t, golden), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if strings.Contains(strings.ToLower(got), "canary") || !strings.Contains(strings.ToLower(env), "canary") {
				t.Errorf("canary:\n%s", got)
			}
		})
	}
}

// Whatever a variable that we do not read holds changes nothing.
func TestNothingElseIsRead(t *testing.T) {
	t.Parallel()
	secret := regexp.MustCompile(`TOKEN|SECRET|PASSWORD|PASSWD|KEY$|PAT$|JWT|CREDENTIAL|COOKIE|MESSAGE|TITLE|AUTHOR|EMAIL|ACTOR`)
	for _, s := range systems {
		allowed := map[string]bool{}
		for _, name := range s.Variables() {
			allowed[name] = true
			if secret.MatchString(name) && name != "CNB_PIPELINE_KEY" && name != "BUILDKITE_STEP_KEY" {
				t.Errorf("%s reads %s", s.Name, name)
			}
		}
		for _, other := range systems {
			allowed[other.Detect] = true
		}
		Attributes(func(name string) string {
			if !allowed[name] {
				t.Errorf("%s: %s is read", s.Name, name)
			}
			if name == s.Detect || strings.Contains(name, s.Detect+"_") {
				return "x"
			}
			return ""
		})
	}
}

func TestOutsideCI(t *testing.T) {
	t.Parallel()
	for _, env := range []string{"", "CI=true\n", "GITHUB_ACTIONS=false\nGITHUB_SHA=1\n", "GITHUB_SHA=1\nBUILD_URL=http://h/\n"} {
		if got := Attributes(environment(env)); got != nil {
			t.Errorf("%q: %v", env, got)
		}
	}
}

func TestVariants(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, env, key, want string
	}{
		{"a push", "GITHUB_ACTIONS=true\nGITHUB_REF=refs/heads/fix-12\nGITHUB_REF_NAME=fix-12\n", headName, "fix-12"},
		{"a push is no change", "GITHUB_ACTIONS=true\nGITHUB_REF=refs/heads/release/12\n", changeID, ""},
		{"a branch called like a change", "GITHUB_ACTIONS=true\nGITHUB_REF=refs/heads/pull/12/fix\n", changeID, ""},
		{"the base of a change", "GITHUB_ACTIONS=true\nGITHUB_REF=refs/heads/2024\nGITHUB_HEAD_REF=x\n", changeID, ""},
		{"a tag", "GITHUB_ACTIONS=true\nGITHUB_REF_TYPE=tag\n", headType, "tag"},
		{"Gitea", "GITHUB_ACTIONS=true\nGITEA_ACTIONS=true\n", provider, "gitea"},
		{"a variable missing", "GITHUB_ACTIONS=true\nGITHUB_SERVER_URL=https://github.com\n", repoURL, ""},
		{"a free stage", "GITLAB_CI=true\nCI_JOB_STAGE=my stage\n", taskType, ""},
		{"GitLab tag", "GITLAB_CI=true\nCI_COMMIT_TAG=v1\nCI_COMMIT_REF_NAME=v1\n", headType, "tag"},
		{"GitLab pipeline without a name", "GITLAB_CI=true\nCI_PROJECT_PATH=g/p\n", pipelineName, "g/p"},
		{"CNB tag", "CNB=true\nCNB_BRANCH=v1\nCNB_IS_TAG=true\n", headType, "tag"},
		{"CNB push has no base", "CNB=true\nCNB_BRANCH=main\n", baseName, ""},
		{"Jenkins without a multibranch job", "JENKINS_URL=x\nGIT_BRANCH=origin/main\n", headName, "main"},
		{"Buildkite change", "BUILDKITE=true\nBUILDKITE_PULL_REQUEST=88\n", changeID, "88"},
		{"CircleCI without an address", "CIRCLECI=true\nCIRCLE_PROJECT_USERNAME=acme\nCIRCLE_PROJECT_REPONAME=w\n", owner, "acme"},
		{"Azure change", "TF_BUILD=True\nSYSTEM_PULLREQUEST_SOURCEBRANCH=refs/heads/f\nBUILD_SOURCEBRANCH=refs/pull/3/merge\n", headType, "branch"},
		{"controls", "GITHUB_ACTIONS=true\nGITHUB_WORKFLOW=a\x1b[31mb\x00\n", pipelineName, "ab"},
		{"long", "GITHUB_ACTIONS=true\nGITHUB_WORKFLOW=" + strings.Repeat("ä", 2000) + "\n", pipelineName, strings.Repeat("ä", 1023) + "…"},
		{"query of a variable", "GITLAB_CI=true\nCI_JOB_URL=https://h/j/1?private_token=canary#canary\n", taskURL, "https://h/j/1"},
	} {
		got := ""
		for _, a := range Attributes(environment(tt.env)) {
			if a.Key == tt.key {
				got = a.Value.(string)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s is %q, want %q", tt.name, tt.key, got, tt.want)
		}
	}
}

func TestRepository(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://github.com/acme/widgets.git":                 "https://github.com/acme/widgets",
		"https://github.com/acme/widgets/":                    "https://github.com/acme/widgets",
		"https://user:canary@github.com/acme/widgets":         "https://github.com/acme/widgets",
		"https://canary@github.com/acme/widgets?token=canary": "https://github.com/acme/widgets",
		"http://git.example.com:8080/w.git":                   "http://git.example.com:8080/w",
		"git@github.com:acme/widgets.git":                     "https://github.com/acme/widgets",
		"github.com:acme/widgets":                             "https://github.com/acme/widgets",
		"ssh://git@github.com/acme/widgets.git":               "https://github.com/acme/widgets",
		"ssh://git:canary@git.example.com:2222/acme/w.git":    "ssh://git.example.com:2222/acme/w",
		"https://user:ca/na:ry@github.com/acme/widgets":       "",
		"https:/user:canary@github.com/acme":                  "",
		"https://proxy/https://user:canary@github.com/acme":   "",
		"//canary@github.com/acme":                            "",
		"/srv/git/canary.git":                                 "",
		"file:///srv/canary":                                  "",
		"canary:x-oauth-basic@github.com/acme/widgets.git":    "",
		"": "",
	} {
		if got := repository(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestKeysAreThoseOfTheConventions(t *testing.T) {
	t.Parallel()
	want := map[string]bool{}
	for _, key := range []string{
		string(semconv.CICDPipelineNameKey), string(semconv.CICDPipelineRunIDKey), string(semconv.CICDPipelineRunURLFullKey),
		string(semconv.CICDPipelineTaskNameKey), string(semconv.CICDPipelineTaskRunIDKey), string(semconv.CICDPipelineTaskRunURLFullKey),
		string(semconv.CICDPipelineTaskTypeKey), string(semconv.CICDWorkerIDKey), string(semconv.CICDWorkerNameKey),
		string(semconv.VCSProviderNameKey), string(semconv.VCSOwnerNameKey), string(semconv.VCSRepositoryNameKey), string(semconv.VCSRepositoryURLFullKey),
		string(semconv.VCSRefHeadNameKey), string(semconv.VCSRefHeadTypeKey), string(semconv.VCSRefHeadRevisionKey),
		string(semconv.VCSRefBaseNameKey), string(semconv.VCSRefBaseRevisionKey), string(semconv.VCSChangeIDKey),
		string(semconv.HostNameKey), string(semconv.HostArchKey), string(semconv.OSTypeKey), string(semconv.OSNameKey), string(semconv.OSVersionKey),
		string(semconv.ProcessPIDKey), string(semconv.ProcessExecutableNameKey),
	} {
		want[key] = true
	}
	for _, s := range systems {
		for _, row := range s.Rows {
			if !want[row.Key] {
				t.Errorf("%s makes %s", s.Name, row.Key)
			}
		}
	}
	for _, a := range (Machine{Hostname: "h", OSRelease: "NAME=x\nVERSION_ID=1", Program: "p"}).Attributes() {
		if !want[a.Key] {
			t.Errorf("machine makes %s", a.Key)
		}
	}
}

func TestMachine(t *testing.T) {
	t.Parallel()
	got := list(Machine{
		Hostname: "build-7", GOOS: "linux", GOARCH: "386", PID: 42, Program: "/home/canary/shims/claude",
		OSRelease: "PRETTY_NAME=\"Debian canary\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID='12'\n",
	}.Attributes())
	want := "host.arch=x86\nos.type=linux\nprocess.pid=42\nhost.name=build-7\nos.name=Debian GNU/Linux\nos.version=12\nprocess.executable.name=claude\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := list(Machine{GOOS: "windows", GOARCH: "amd64"}.Attributes()); got != "host.arch=amd64\nos.type=windows\nprocess.pid=0\n" {
		t.Errorf("got\n%s", got)
	}
}
