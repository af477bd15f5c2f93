package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cbc-otel/test/e2e/internal/jaeger"
	"cbc-otel/test/e2e/internal/program"
	"cbc-otel/test/e2e/internal/tree"
)

// backend is a running Jaeger.
type backend struct {
	jaeger.Client
	*program.Server
	grpc, http string // OTLP host:port
}

// startJaeger runs Jaeger with the configuration that docker-compose.yml mounts; only addresses differ.
func startJaeger(t *testing.T) *backend {
	t.Helper()
	a := program.Ports(t, 5)
	return startJaegerAt(t, a)
}

func startJaegerAt(t *testing.T, a []string) *backend {
	t.Helper()
	b := &backend{grpc: a[0], http: a[1], Client: jaeger.Client{URL: "http://" + a[2]}}
	b.Server = program.Start(t, "jaeger", program.OK("http://"+a[4]+"/status"), jaegerBin(t), overridden(
		[]string{"--config=" + filepath.Join(root, "deploy/jaeger/jaeger.yaml")},
		"receivers::otlp::protocols::grpc::endpoint", a[0],
		"receivers::otlp::protocols::http::endpoint", a[1],
		"extensions::jaeger_query::http::endpoint", a[2],
		"extensions::jaeger_query::grpc::endpoint", a[3],
		"extensions::jaeger_query::ui::config_file", filepath.Join(root, "deploy/jaeger/ui.json"),
		"extensions::healthcheckv2::http::endpoint", a[4],
		"service::telemetry::logs::level", "warn",
	)...)
	return b
}

// gateway is a running collector.
type gateway struct {
	*program.Server
	grpc, http string // OTLP host:port
}

// startCollector runs the collector as docker-compose.yml does for the profile jaeger, with its queue in dir.
func startCollector(t *testing.T, addrs []string, dir, jaeger string) *gateway {
	t.Helper()
	g := &gateway{grpc: addrs[0], http: addrs[1]}
	g.Server = program.Start(t, "collector", program.OK("http://"+addrs[2]), otelcol(t), overridden(
		[]string{"--config=" + filepath.Join(root, "deploy/collector/receive.yaml"), "--config=" + filepath.Join(root, "deploy/collector/to-jaeger.yaml")},
		"receivers::otlp::protocols::grpc::endpoint", addrs[0],
		"receivers::otlp::protocols::http::endpoint", addrs[1],
		"extensions::health_check::endpoint", addrs[2],
		"service::telemetry::logs::level", "warn",
		"extensions::file_storage/queue::directory", dir,
		"extensions::file_storage/queue::compaction::directory", dir,
		"exporters::otlp_grpc/jaeger::endpoint", jaeger,
		"exporters::otlp_grpc/jaeger::retry_on_failure::max_interval", "1s", // the test waits for it
	)...)
	return g
}

// overridden adds pairs of key and value to the arguments of a collector.
func overridden(args []string, pairs ...string) []string {
	for i := 0; i < len(pairs); i += 2 {
		args = append(args, "--config=yaml:"+pairs[i]+": "+pairs[i+1])
	}
	return args
}

// command is the program under test in an environment of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(cbcOtel(t), args...)
	cmd.Env = []string{"HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "state"), "PATH=" + os.Getenv("PATH")}
	return cmd
}

// run runs the program to its end and returns its standard output.
func run(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	return out
}

// same checks that Jaeger has exactly these spans, each once, as sent, and nothing to complain about.
func (b *backend) same(t *testing.T, want []tree.Span) {
	t.Helper()
	if len(want) == 0 {
		t.Fatal("nothing was sent")
	}
	for id, spans := range tree.Traces(want) {
		ctx, cancel := context.WithTimeout(context.Background(), program.Patience)
		adjusted, err := b.Wait(ctx, id, len(spans))
		cancel()
		if err != nil {
			t.Error(err)
			continue
		}
		if len(adjusted.Warnings) > 0 {
			t.Errorf("trace %s: Jaeger warns: %q", id, adjusted.Warnings)
		}
		stored, _, err := b.Trace(context.Background(), id, true)
		if err != nil {
			t.Error(err)
		}
		if d := tree.Diff(stored.Spans, spans); d != "" {
			t.Errorf("trace %s: Jaeger has other spans than were sent:\n%.5000s", id, d)
		}
	}
}

func file(t *testing.T, path string) []tree.Span {
	t.Helper()
	spans, err := tree.File(path)
	if err != nil {
		t.Fatal(err)
	}
	return spans
}
