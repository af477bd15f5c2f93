package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cbc-otel/internal/otlptest"
	"cbc-otel/internal/testdata"
	"cbc-otel/test/e2e/internal/program"
	"cbc-otel/test/e2e/internal/tree"
)

// TestConfigs: the real programs accept the files that docker-compose.yml mounts, as they are.
func TestConfigs(t *testing.T) {
	t.Parallel()
	programs := map[string]func(*testing.T) string{"collector": otelcol, "collector-jaeger": otelcol, "collector-tempo": otelcol, "jaeger": jaegerBin}
	p := compose(t, "all", "jaeger", "tempo")
	for name, bin := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"validate"}
			for _, word := range p.Services[name].Command {
				args = append(args, "--config="+mounted(p.Services[name], strings.TrimPrefix(word, "--config=")))
			}
			if name != "jaeger" { // a place for the queue that exists here
				args = overridden(args, "extensions::file_storage/queue::directory", t.TempDir(), "extensions::file_storage/queue::compaction::directory", t.TempDir())
			}
			if out, err := exec.Command(bin(t), args...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestCollectorQueue: the collector takes spans while Jaeger is away, is killed, and still delivers them.
func TestCollectorQueue(t *testing.T) {
	t.Parallel()
	toJaeger, addrs, queue := program.Ports(t, 5), program.Ports(t, 3), t.TempDir()
	g := startCollector(t, addrs, queue, toJaeger[0])
	sent := filepath.Join(t.TempDir(), "sent.jsonl")
	args := []string{"replay", "--exporter", "otlp,file", "--file", sent, "--endpoint", "http://" + g.grpc, "--flush-timeout", "1m"}
	for _, c := range testdata.Captures() {
		path, err := c.Path()
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	run(t, command(t, args...))
	g.Kill()
	startCollector(t, addrs, queue, toJaeger[0])
	startJaegerAt(t, toJaeger).same(t, file(t, sent))
}

// TestCollectorCrashes: runs come and go while the collector is killed and started again and again. What it did not
// take is in the spool, and flush sends it.
func TestCollectorCrashes(t *testing.T) {
	t.Parallel()
	b := startJaeger(t)
	addrs, queue, state := program.Ports(t, 3), t.TempDir(), t.TempDir()
	g := startCollector(t, addrs, queue, b.grpc)
	sent := filepath.Join(t.TempDir(), "sent.jsonl")
	export := []string{"--exporter", "otlp,file", "--file", sent, "--endpoint", "http://" + g.grpc}

	demo := func() *exec.Cmd {
		cmd := command(t, append([]string{"demo", "--speed", "20"}, export...)...)
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+state)
		return cmd
	}
	var runs sync.WaitGroup
	free := make(chan struct{}, 4)
	stop := make(chan struct{})
	runs.Go(func() {
		for {
			select {
			case <-stop:
				return
			case free <- struct{}{}:
			}
			cmd := demo()
			runs.Go(func() {
				defer func() { <-free }()
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	})
	for range 5 {
		time.Sleep(time.Second)
		g.Kill()
		time.Sleep(300 * time.Millisecond)
		g = startCollector(t, addrs, queue, b.grpc)
	}
	close(stop)
	runs.Wait()

	// One run while the collector is away: its spans can only be in the spool.
	g.Kill()
	run(t, demo())
	startCollector(t, addrs, queue, b.grpc)
	flush := command(t, "flush", "--endpoint", "http://"+g.grpc)
	flush.Env = append(flush.Env, "XDG_STATE_HOME="+state)
	t.Logf("flush: %s", run(t, flush))

	spans := file(t, sent)
	twice := 0
	for id, want := range tree.Traces(spans) {
		ctx, cancel := context.WithTimeout(context.Background(), program.Patience)
		got, err := b.Wait(ctx, id, len(want))
		cancel()
		if err != nil {
			t.Error(err)
			continue
		}
		// An answer that the crash swallowed makes the sender send again, under the same ids: Jaeger shows one.
		if d := tree.Diff(got.Spans, want); d != "" {
			t.Errorf("trace %s:\n%.5000s", id, d)
		}
		stored, _, err := b.Trace(context.Background(), id, true)
		if err != nil {
			t.Error(err)
		}
		twice += len(stored.Spans) - len(want)
	}
	t.Logf("%d runs, %d spans, all there; %d were sent twice", len(tree.Traces(spans)), len(spans), twice)
}

// TestCollectorReadsFiles: the collector's otlpjsonfile receiver makes of our files the spans that we sent.
func TestCollectorReadsFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sent := filepath.Join(dir, "sent.jsonl")
	args := []string{"replay", "--content", "--exporter", "file", "--file", sent}
	for _, c := range testdata.Captures() {
		path, err := c.Path()
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	run(t, command(t, args...))
	want := file(t, sent)

	r := otlptest.New(t, otlptest.Config{MaxMessage: 64 << 20})
	health := program.Ports(t, 1)[0]
	program.Start(t, "collector", program.OK("http://"+health), otelcol(t), `--config=yaml:{
		extensions: {health_check: {endpoint: "`+health+`"}},
		receivers: {otlpjsonfile: {include: ["`+sent+`"], start_at: beginning, max_log_size: 16MiB, include_file_name: false}},
		exporters: {otlp_grpc: {endpoint: "`+r.GRPCAddr()+`", tls: {insecure: true}, compression: none}},
		service: {extensions: [health_check], pipelines: {traces: {receivers: [otlpjsonfile], exporters: [otlp_grpc]}}, telemetry: {metrics: {level: none}}}
	}`)
	ctx, cancel := context.WithTimeout(context.Background(), program.Patience)
	defer cancel()
	if !r.Wait(ctx, len(want)) {
		t.Errorf("%d spans, want %d", len(r.Spans()), len(want))
	}
	if d := tree.Diff(tree.OTLP(r.Spans()), want); d != "" {
		t.Errorf("%.5000s", d)
	}
	t.Logf("%d spans", len(want))
}
