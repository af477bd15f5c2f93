package e2e

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// compose loads docker-compose.yml the way docker compose does: the schema is checked, .env is read, and without
// profiles those named there are on.
func compose(t *testing.T, profiles ...string) *types.Project {
	t.Helper()
	o, err := cli.NewProjectOptions([]string{filepath.Join(root, "docker-compose.yml")},
		cli.WithWorkingDirectory(root), cli.WithEnvFiles(), cli.WithDotEnv, cli.WithDefaultProfiles(profiles...))
	if err != nil {
		t.Fatal(err)
	}
	p, err := o.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestComposeProfiles(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]string{
		"":       "collector collector-probe grafana jaeger tempo tempo-probe",
		"jaeger": "collector-jaeger collector-probe jaeger",
		"tempo":  "collector-probe collector-tempo grafana tempo tempo-probe",
	} {
		var p *types.Project
		if profile == "" {
			p = compose(t)
		} else {
			p = compose(t, profile)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(p.Services)), " "); got != want {
			t.Errorf("profile %q starts %q, want %q", profile, got, want)
		}
	}
}

func TestComposeServices(t *testing.T) {
	t.Parallel()
	p := compose(t, "all", "jaeger", "tempo")
	pinned := regexp.MustCompile(`^[a-z/-]+:\d+\.\d+\.\d+$`)
	watched := map[string]bool{}
	for _, s := range p.Services {
		if s.HealthCheck != nil {
			watched[s.Name] = true
			for _, host := range regexp.MustCompile(`//([a-z-]+):`).FindAllStringSubmatch(strings.Join(s.HealthCheck.Test, " "), -1) {
				watched[host[1]] = true
			}
		}
	}
	for name, s := range p.Services {
		if !pinned.MatchString(s.Image) {
			t.Errorf("%s: image %s is not pinned to a version", name, s.Image)
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %s is published on %q", name, port.Published, port.HostIP)
			}
		}
		if !watched[name] && !watched[alias(s)] {
			t.Errorf("%s: nothing checks its health", name)
		}
		for _, v := range s.Volumes {
			if v.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(v.Source); err != nil || !v.ReadOnly {
				t.Errorf("%s: mount %s: read only %v, %v", name, v.Source, v.ReadOnly, err)
			}
		}
		for _, word := range s.Command {
			if path, ok := strings.CutPrefix(strings.TrimPrefix(word, "-"), "-config="); ok {
				if _, err := os.Stat(mounted(s, path)); err != nil {
					t.Errorf("%s: %s is not mounted: %v", name, path, err)
				}
			}
		}
	}
	if home := p.Services["grafana"].Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]; home == nil {
		t.Error("grafana: no home dashboard")
	} else if _, err := os.Stat(mounted(p.Services["grafana"], *home)); err != nil {
		t.Error("grafana: home dashboard:", err)
	}
}

func alias(s types.ServiceConfig) string {
	for _, n := range s.Networks {
		if n != nil && len(n.Aliases) > 0 {
			return n.Aliases[0]
		}
	}
	return ""
}

// mounted is the file of the repository that a service sees under a path.
func mounted(s types.ServiceConfig, path string) string {
	for _, v := range s.Volumes {
		if rest, ok := strings.CutPrefix(path, v.Target+"/"); ok && v.Type == types.VolumeTypeBind {
			return filepath.Join(v.Source, rest)
		}
	}
	return "(no mount) " + path
}

// TestComposeAddresses follows every address from where it is used to a service and a port it listens on.
func TestComposeAddresses(t *testing.T) {
	t.Parallel()
	p := compose(t, "all", "jaeger", "tempo")
	listens := map[string][]string{ // by name in the network; what the mounted configurations and the images say
		"otel-collector": ports(t, "deploy/collector/receive.yaml", `0\.0\.0\.0:(\d+)`),
		"jaeger":         ports(t, "deploy/jaeger/jaeger.yaml", `0\.0\.0\.0:(\d+)`),
		"tempo":          ports(t, "deploy/tempo/tempo.yaml", `0\.0\.0\.0:(\d+)|http_listen_port: (\d+)`),
		"grafana":        {"3000"},
	}
	for name, s := range p.Services {
		for _, port := range s.Ports {
			of := name
			if a := alias(s); a != "" {
				of = a
			}
			if target := itoa(port.Target); port.Published != target || !slices.Contains(listens[of], target) {
				t.Errorf("%s publishes %s for %s, it listens on %v", name, port.Published, target, listens[of])
			}
		}
	}
	uses := regexp.MustCompile(`\b(otel-collector|jaeger|tempo|grafana):(\d{4,5})\b`)
	for _, file := range []string{"docker-compose.yml", "deploy/collector/to-jaeger.yaml", "deploy/collector/to-tempo.yaml", "deploy/grafana/provisioning/datasources/traces.yaml"} {
		for _, m := range uses.FindAllStringSubmatch(read(t, file), -1) {
			if !slices.Contains(listens[m[1]], m[2]) {
				t.Errorf("%s: %s listens on %v, not on %s", file, m[1], listens[m[1]], m[2])
			}
		}
	}
	published := map[string]bool{}
	for _, s := range p.Services {
		for _, port := range s.Ports {
			published[port.Published] = true
		}
	}
	local := regexp.MustCompile(`localhost:(\d{4,5})`)
	for _, file := range []string{"README.md", "docs/backends.md", "docker-compose.yml", "deploy/jaeger/ui.json", "deploy/grafana/dashboards/workflows.json"} {
		for _, m := range local.FindAllStringSubmatch(read(t, file), -1) {
			if !published[m[1]] {
				t.Errorf("%s speaks of localhost:%s, which nothing publishes", file, m[1])
			}
		}
	}
}

// TestComposeVersions: what the tests build is what the images hold.
func TestComposeVersions(t *testing.T) {
	t.Parallel()
	p := compose(t)
	collector := regexp.MustCompile(`collector/otelcol v(\S+)`).FindStringSubmatch(read(t, "test/e2e/otelcol/go.mod"))
	if want := "otel/opentelemetry-collector-contrib:" + collector[1]; p.Services["collector"].Image != want {
		t.Errorf("image %s, the tests build %s", p.Services["collector"].Image, want)
	}
	// Jaeger's modules count from 1 what its images count from 2: v1.76 is v2.13.
	jaeger := regexp.MustCompile(`jaegertracing/jaeger v1\.(\d+)\.(\d+)`).FindStringSubmatch(read(t, "test/e2e/jaeger/go.mod"))
	if want := "jaegertracing/jaeger:2." + itoa(atoi(jaeger[1])-63) + "." + jaeger[2]; p.Services["jaeger"].Image != want {
		t.Errorf("image %s, the tests build %s", p.Services["jaeger"].Image, want)
	}
	docs := read(t, "docs/backends.md")
	for name, s := range p.Services {
		if !strings.Contains(docs, s.Image) {
			t.Errorf("docs/backends.md does not name %s, the image of %s", s.Image, name)
		}
	}
}

// TestDashboard: it asks provisioned data sources for attributes that exist, and never groups by what an agent is called.
func TestDashboard(t *testing.T) {
	t.Parallel()
	sources := regexp.MustCompile(`(?m)^\s+uid: (\S+)`).FindAllStringSubmatch(read(t, "deploy/grafana/provisioning/datasources/traces.yaml"), -1)
	keys := read(t, "mapping/keys.go")
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct {
				Datasource struct{ UID string }
				Query      string
			}
		}
		Templating struct {
			List []struct{ Query struct{ Label string } }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "deploy/grafana/dashboards/workflows.json")), &board); err != nil {
		t.Fatal(err)
	}
	if len(board.Panels) < 8 {
		t.Errorf("%d panels", len(board.Panels))
	}
	attribute := regexp.MustCompile(`span\.([a-z_]+(?:\.[a-z_]+)+)`)
	check := func(where, text string) {
		for _, m := range attribute.FindAllStringSubmatch(text, -1) {
			key := regexp.MustCompile(`^(cbc\.(?:workflow|phase)\.agents\.)(total|done|error|cached|cancelled|unfinished)$`).ReplaceAllString(m[1], "$1")
			if !strings.Contains(keys, `"`+key+`"`) {
				t.Errorf("%s: no span has %s", where, m[1])
			}
		}
	}
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			check(panel.Title, target.Query)
			if !slices.ContainsFunc(sources, func(s []string) bool { return s[1] == target.Datasource.UID }) {
				t.Errorf("%s: no data source %q", panel.Title, target.Datasource.UID)
			}
			if by := regexp.MustCompile(`by \(([^)]*)\)`).FindStringSubmatch(target.Query); by != nil && regexp.MustCompile(`gen_ai\.agent\.name|\bname\b|cbc\.agent\.(id|index)`).MatchString(strings.ReplaceAll(by[1], "workflow.name", "")) {
				t.Errorf("%s groups by %s: one series an agent", panel.Title, by[1])
			}
		}
	}
	for _, v := range board.Templating.List {
		check("variable", v.Query.Label)
	}
}
