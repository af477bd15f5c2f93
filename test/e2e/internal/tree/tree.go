// Package tree has what a backend returned and what was sent in one form, so that they can be compared and shown.
package tree

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Span is a span as any backend has it. Times are whole microseconds, which is what Jaeger tells.
type Span struct {
	TraceID, ID, Parent string // hex; Parent is empty for a root
	Service, Scope      string
	Name                string
	Start, Duration     int64             // microseconds, Start since 1970
	Tags                map[string]string // type and value: "int64 3"
	Events              []Event
	Links               []string // trace/span
	Error               bool
	Description         string // of the error
}

// Event is a point in time on a span.
type Event struct {
	Name string
	At   int64 // microseconds since 1970
	Tags map[string]string
}

// Key names the span among all.
func (s Span) Key() string { return s.TraceID + "/" + s.ID }

// Value is the tag without its type, "" when the span does not have it.
func (s Span) Value(key string) string {
	_, v, _ := strings.Cut(s.Tags[key], " ")
	return v
}

// String writes everything of a span, so that equal spans give equal text.
func (s Span) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s parent=%s service=%q scope=%q name=%q start=%d duration=%d error=%v %q links=%v", s.Key(), s.Parent, s.Service, s.Scope, s.Name, s.Start, s.Duration, s.Error, s.Description, s.Links)
	tags(&b, "\n    ", s.Tags)
	for _, e := range s.Events {
		fmt.Fprintf(&b, "\n  event %s %d", e.Name, e.At)
		tags(&b, "\n      ", e.Tags)
	}
	return b.String()
}

func tags(b *strings.Builder, before string, all map[string]string) {
	for _, k := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(b, "%s%s = %s", before, k, all[k])
	}
}

// Diff says how got differs from want, span by span; "" if they are the same. Several spans of one key differ
// from one.
//
// A span without a length is sent a nanosecond long, which may be the last of the microsecond before.
func Diff(got, want []Span) string {
	starts := map[string]int64{}
	for _, s := range want {
		if s.Duration == 0 {
			starts[s.Key()] = s.Start
		}
	}
	got = slices.Clone(got)
	for i, s := range got {
		if start, ok := starts[s.Key()]; ok && s.Duration == 0 && s.Start == start-1 {
			got[i].Start = start
		}
	}
	g, w := byKey(got), byKey(want)
	var b strings.Builder
	keys := slices.Collect(maps.Keys(w))
	for k := range g {
		if _, ok := w[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		if gs, ws := strings.Join(g[k], "\n"), strings.Join(w[k], "\n"); gs != ws {
			fmt.Fprintf(&b, "--- got (%d)\n%s\n--- want (%d)\n%s\n", len(g[k]), gs, len(w[k]), ws)
		}
	}
	return b.String()
}

func byKey(spans []Span) map[string][]string {
	m := map[string][]string{}
	for _, s := range spans {
		m[s.Key()] = append(m[s.Key()], s.String())
	}
	return m
}

// Traces sorts spans by trace.
func Traces(spans []Span) map[string][]Span {
	m := map[string][]Span{}
	for _, s := range spans {
		m[s.TraceID] = append(m[s.TraceID], s)
	}
	return m
}

// Problems says what is wrong with one trace as a tree: other than one root, spans twice, parents that are
// missing, children outside their parents.
func Problems(spans []Span) []string {
	var found []string
	byID := map[string]Span{}
	for _, s := range spans {
		if _, twice := byID[s.ID]; twice {
			found = append(found, "twice: "+s.Name)
		}
		byID[s.ID] = s
	}
	roots := 0
	for _, s := range spans {
		if s.Parent == "" {
			roots++
			continue
		}
		p, ok := byID[s.Parent]
		switch {
		case !ok:
			found = append(found, "no parent: "+s.Name)
		case s.Start < p.Start || s.Start+s.Duration > p.Start+p.Duration+1: // each was rounded
			found = append(found, "outside its parent: "+s.Name)
		}
	}
	if roots != 1 {
		found = append(found, fmt.Sprintf("%d roots", roots))
	}
	return found
}

// children returns the spans under a parent, as they stand in the stream.
func children(spans []Span, parent string) []Span {
	var out []Span
	for _, s := range spans {
		if s.Parent == parent {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Span) int {
		return cmp.Or(cmp.Compare(kindOf(a), kindOf(b)), cmp.Compare(index(a), index(b)), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func kindOf(s Span) int {
	if _, phase := s.Tags["cbc.phase.index"]; phase {
		return 0
	}
	return 1
}

func index(s Span) (n int) {
	_, _ = fmt.Sscan(cmp.Or(s.Value("cbc.phase.index"), s.Value("cbc.agent.index")), &n)
	return n
}
