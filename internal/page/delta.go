package page

import (
	"encoding/json"
	"slices"

	"github.com/cespare/xxhash/v2"

	"cbc-otel/internal/traces"
)

// Follower turns one trace, looked at again and again, into what changed. Its zero value has sent nothing yet.
type Follower struct {
	sums map[string]uint64 // of spans as they were sent
	rest uint64            // of everything else
}

// Next returns what changed since the last call, or nil if nothing did. The first time that is everything.
func (f *Follower) Next(t traces.Trace) (*Doc, error) {
	d := DocOf(t)
	d.Full = f.sums == nil
	sums := make(map[string]uint64, len(d.Spans))
	var changed []Span
	for _, s := range d.Spans {
		line, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		sums[s.ID] = xxhash.Sum64(line)
		if old, ok := f.sums[s.ID]; !ok || old != sums[s.ID] {
			changed = append(changed, s)
		}
	}
	for id := range f.sums {
		if _, ok := sums[id]; !ok {
			d.Gone = append(d.Gone, id)
		}
	}
	slices.Sort(d.Gone)
	rest, err := restOf(d)
	if err != nil {
		return nil, err
	}
	same := !d.Full && len(changed) == 0 && len(d.Gone) == 0 && rest == f.rest
	f.sums, f.rest = sums, rest
	if same {
		return nil, nil
	}
	d.Spans = changed
	return &d, nil
}

// restOf sums up what is not of one span and not the clock's doing.
func restOf(d Doc) (uint64, error) {
	if d.Row.Live {
		d.Row.End = 0
	}
	line, err := json.Marshal([]any{d.Row, d.Resource})
	return xxhash.Sum64(line), err
}
