package collector

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	collectorcomponent "go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
)

func component(f processor.Factory) collectorcomponent.ID { return collectorcomponent.NewID(f.Type()) }

// rounds is how many policies each test makes. Each is one seed.
const rounds = 4000

// spansOnly leaves the attributes of spans: the attributes processor touches nothing else, while our delete
// and hash also reach events, links and the resource (TestDeleteAndHashReachFurther).
func spansOnly(all []any) []any {
	var out []any
	for _, f := range all {
		if s, ok := f.(yaml)["span"]; ok {
			out = append(out, s)
		}
	}
	return out
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	changed := 0
	for seed := range uint64(rounds) {
		g := &generator{rand.New(rand.NewPCG(seed, 1)), true}
		p := policy{attributes: g.attributes()}
		in := g.traces(g.names()...)
		if compare(t, seed, p, in, spansOnly) {
			changed++
		}
	}
	enough(t, changed)
}

func TestRedaction(t *testing.T) {
	t.Parallel()
	changed := 0
	for seed := range uint64(rounds) {
		g := &generator{rand.New(rand.NewPCG(seed, 2)), false}
		p := policy{redaction: g.redaction()}
		in := g.traces("") // no name: see traces
		if compare(t, seed, p, in, func(all []any) []any { return all }) {
			changed++
		}
	}
	enough(t, changed)
}

func TestBoth(t *testing.T) {
	t.Parallel()
	changed := 0
	for seed := range uint64(rounds) {
		g := &generator{rand.New(rand.NewPCG(seed, 3)), false}
		p := policy{attributes: g.attributes(), redaction: g.redaction()}
		in := g.traces("")
		if compare(t, seed, p, in, spansOnly) {
			changed++
		}
	}
	enough(t, changed)
}

// compare runs both and tells whether the policy changed anything.
func compare(t *testing.T, seed uint64, p policy, in ptrace.Traces, part func([]any) []any) bool {
	t.Helper()
	before := part(facts(in))
	want := part(facts(collector(t, p, in)))
	got := part(facts(ours(t, p, in)))
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("seed %d, policy %v\nbefore %v\n(-collector +ours):\n%s", seed, p, before, d)
	}
	return !cmp.Equal(before, want)
}

// enough makes sure that the test tests something.
func enough(t *testing.T, changed int) {
	t.Helper()
	if changed < rounds/2 {
		t.Errorf("only %d of %d policies changed anything", changed, rounds)
	}
	t.Logf("%d of %d policies changed something", changed, rounds)
}
