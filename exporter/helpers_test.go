package exporter_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cbc-otel/exporter"
	"cbc-otel/internal/otlptest"
	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hang bounds what must not take for ever; tests never depend on how long something takes below that.
const hang = time.Minute

var epoch = time.Date(2026, 12, 1, 21, 0, 0, 0, time.UTC)

// tree is a workflow of one phase with so many agents: agents+2 spans. Trees of different numbers share no id.
func tree(number, agents int) mapping.Tree {
	id := func(i int) (s mapping.SpanID) {
		binary.BigEndian.PutUint32(s[:], uint32(number))
		binary.BigEndian.PutUint32(s[4:], uint32(i+1))
		return s
	}
	var trace mapping.TraceID
	binary.BigEndian.PutUint64(trace[8:], uint64(number))
	task := fmt.Sprintf("task-%d", number)
	end := epoch.Add(time.Duration(agents+2) * time.Second)
	t := mapping.Tree{TaskID: task, Spans: []mapping.Span{
		{
			Kind: mapping.WorkflowSpan, TraceID: trace, SpanID: id(0), Name: "invoke_workflow audit", Start: epoch, End: end,
			Attributes: []mapping.Attribute{
				{Key: mapping.KeyOperation, Value: mapping.InvokeWorkflow}, {Key: mapping.KeyTaskID, Value: task},
				{Key: mapping.KeyWorkflowStatus, Value: "completed"}, {Key: mapping.KeyWorkflowPhases, Value: []string{"Gather", "Verify"}},
				{Key: mapping.PrefixWorkflowAgents + "total", Value: int64(agents)},
			},
			Events: []mapping.SpanEvent{{Name: mapping.EventStatus, Time: end, Attributes: []mapping.Attribute{{Key: mapping.KeyStatus, Value: "completed"}}}},
		},
		{
			Kind: mapping.PhaseSpan, TraceID: trace, SpanID: id(1), ParentID: id(0), Name: "phase Gather", Start: epoch, End: end,
			Attributes: []mapping.Attribute{{Key: mapping.KeyPhaseIndex, Value: int64(1)}, {Key: mapping.KeyPhaseTitle, Value: "Gather"}},
		},
	}}
	for i := range agents {
		s := mapping.Span{
			Kind: mapping.AgentSpan, TraceID: trace, SpanID: id(i + 2), ParentID: id(1), Name: fmt.Sprintf("invoke_agent scout-%d", i+1),
			Start: epoch.Add(time.Duration(i) * time.Second), End: epoch.Add(time.Duration(i+2) * time.Second),
			Attributes: []mapping.Attribute{
				{Key: mapping.KeyOperation, Value: mapping.InvokeAgent}, {Key: mapping.KeyAgentName, Value: fmt.Sprintf("scout-%d", i+1)},
				{Key: mapping.KeyAgentIndex, Value: int64(i + 1)}, {Key: mapping.KeyAgentState, Value: "done"},
				{Key: mapping.KeyAgentStarted, Value: true}, {Key: mapping.KeyAgentTokens, Value: int64(1000 * (i + 1))},
			},
		}
		t.Spans = append(t.Spans, s)
	}
	return t
}

// ids lists the ids of the spans of trees as [otlptest.Span.ID] has them.
func ids(trees ...mapping.Tree) []string {
	var all []string
	for _, t := range trees {
		for _, s := range t.Spans {
			all = append(all, fmt.Sprintf("%x/%x", s.TraceID, s.SpanID))
		}
	}
	slices.Sort(all)
	return all
}

// env is an environment.
type env map[string]string

func (e env) get(key string) string { return e[key] }

// output is a writer that several goroutines may use.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// options are those of a run with a state home of its own and nothing from the real environment.
func options(t *testing.T, exporters ...string) (exporter.Options, *output) {
	t.Helper()
	out := &output{}
	return exporter.Options{
		Exporters: exporters,
		Spool:     exporter.Spool{Base: filepath.Join(t.TempDir(), "cbc-otel"), Grace: hang},
		Version:   "1.2.3",
		Getenv:    env{}.get,
		Log:       say.New(out, say.Warn),
	}, out
}

// toReceiver is options for the otlp exporter.
func toReceiver(t *testing.T, url, protocol string) (exporter.Options, *output) {
	t.Helper()
	o, out := options(t, "otlp")
	o.OTLP = exporter.OTLP{Endpoint: url, Protocol: protocol, Timeout: hang}
	return o, out
}

func open(t *testing.T, o exporter.Options) *exporter.Pipeline {
	t.Helper()
	p, err := exporter.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run exports trees through a pipeline of its own and flushes within the budget.
func run(t *testing.T, o exporter.Options, budget time.Duration, trees ...mapping.Tree) exporter.Report {
	t.Helper()
	p := open(t, o)
	for _, tr := range trees {
		p.Export(tr)
	}
	return flush(t, p, budget)
}

// flush flushes and checks that the account adds up; it fails if flushing takes much longer than it may.
func flush(t *testing.T, p *exporter.Pipeline, budget time.Duration) exporter.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), budget)
	defer cancel()
	start := time.Now()
	r := p.Flush(ctx)
	if took := time.Since(start); took > budget+hang {
		t.Errorf("flushing took %v with a budget of %v", took, budget)
	}
	if r.Made == 0 {
		t.Error("no spans were made")
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
	return r
}

// arrived checks that the receiver took each span of the trees once, and no others.
func arrived(t *testing.T, r *otlptest.Receiver, trees ...mapping.Tree) {
	t.Helper()
	want := ids(trees...)
	var got []string
	for _, s := range r.Spans() {
		got = append(got, s.ID())
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%d spans arrived, want %d: %v", len(got), len(want), firstDifference(got, want))
	}
}

func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("at %d got %s, want %s", i, got[i], want[i])
		}
	}
	return fmt.Sprintf("%d and %d", len(got), len(want))
}

// one returns the report on the only exporter.
func one(t *testing.T, r exporter.Report) exporter.ExporterReport {
	t.Helper()
	if len(r.Exporters) != 1 {
		t.Fatalf("reports on %d exporters", len(r.Exporters))
	}
	return r.Exporters[0]
}

var protocols = []string{exporter.ProtocolGRPC, exporter.ProtocolHTTP}

func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s has no %q:\n%s", what, part, text)
		}
	}
}
