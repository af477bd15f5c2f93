package filter

import (
	"hash/maphash"
	"sync"

	"cbc-otel/mapping"
)

// alwaysWhole is how long a text can be, in bytes, that nobody cuts: names of spans are cut at 128 runes, with
// the operation before them.
const alwaysWhole = maxName - len(mapping.InvokeWorkflow+" ")

// maxCounted bounds what a [Redactor] remembers to count a text once.
const maxCounted = 1 << 14

// Redactor is what of the rules has to see texts whole, before they are cut: of a token or a number cut in
// two no pattern finds the half that leaves. It masks the built-in secrets and, in texts long enough to be
// cut, what blocked_values match; keys are not known yet, so ignored_keys do not count here.
type Redactor struct {
	rules *Rules
	seed  maphash.Seed

	mu    sync.Mutex
	seen  map[uint64]struct{} // texts with hits: a snapshot shows the same text again and again
	total []int
}

// Redactor returns a new one, which counts for itself.
func (r *Rules) Redactor() *Redactor {
	return &Redactor{rules: r, seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}, total: make([]int, len(r.names))}
}

// Redact masks what must not leave in a text. It may be called by several goroutines at once.
func (d *Redactor) Redact(s string) string {
	p := &pass{rules: d.rules}
	n := 0
	out := toUTF8(s)
	if d.rules.secrets != nil {
		out, n = d.rules.secrets.Redact(out)
	}
	if len(out) > alwaysWhole && len(d.rules.redaction.blocked) > 0 {
		p = d.rules.pass()
		out = p.redactLoose(out)
	}
	if out != s {
		d.count(s, n, p.hits)
	}
	return out
}

// count adds the hits in a text that was not counted before.
func (d *Redactor) count(s string, secrets int, hits []int) {
	h := maphash.String(d.seed, s)
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, again := d.seen[h]; again {
		return
	}
	if len(d.seen) < maxCounted {
		d.seen[h] = struct{}{}
	}
	if d.rules.secrets != nil {
		d.total[d.rules.secretsID] += secrets
	}
	for id, n := range hits {
		d.total[id] += n
	}
}

// Hits is what was masked so far, to be added to what Apply counts.
func (d *Redactor) Hits() Hits {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := pass{rules: d.rules, hits: d.total}
	return p.result()
}
