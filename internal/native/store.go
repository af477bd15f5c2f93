package native

import (
	"encoding/hex"
	"sync"

	"cbc-otel/mapping"
)

// Counts say what became of what was received. Spans of the CLI are in exactly one of the classes below them.
type Counts struct {
	Spans int `json:"spans"` // of the CLI
	Costs int `json:"costs"` // records of its log that say what a request cost

	Merged     int `json:"merged"`                // put into a workflow
	Late       int `json:"late,omitempty"`        // put below a workflow that was exported already
	Apart      int `json:"apart"`                 // of the main loop: below the command's span, or in their own trace
	Unmatched  int `json:"unmatched,omitempty"`   // of a workflow that is not known; exported with those apart
	Duplicates int `json:"duplicates,omitempty"`  // sent again
	Dropped    int `json:"dropped,omitempty"`     // beyond the bounds of memory, or without ids
	Foreign    int `json:"foreign,omitempty"`     // spans and records of other programs; not among Spans
	Rejected   int `json:"rejected,omitempty"`    // requests that could not be read
	Strangers  int `json:"strangers,omitempty"`   // requests to another path
	PassedOn   int `json:"passed_on,omitempty"`   // requests that the user's own destination took
	PassFailed int `json:"pass_failed,omitempty"` // and that it did not
}

// Bounds of a store.
const (
	maxSpans  = 50_000
	maxBytes  = 64 << 20 // as an estimate
	maxCosts  = 100_000
	maxSeen   = 200_000
	maxTools  = 4096
	maxSettle = 64 // exported workflows that late spans can still be told of
)

type spanKey struct {
	trace mapping.TraceID
	span  mapping.SpanID
}

func (s *Span) key() spanKey { return spanKey{s.TraceID, s.SpanID} }

// StoreOptions say what of a span may leave.
type StoreOptions struct {
	Redact  func(string) string // as in mapping.Options; called by one goroutine at a time
	Content bool
	Errors  bool // texts of errors may leave

	// Session is the span of the command, which takes what belongs to no workflow; zero: there is none.
	Session mapping.SpanContext

	// Outer is a span of somebody else that the command hangs its own on; zero: it was told of none.
	Outer mapping.SpanID
}

// Store keeps what was received until its place is known. It is safe for concurrent use.
type Store struct {
	o StoreOptions

	mu      sync.Mutex
	convert converter
	spans   map[spanKey]*Span
	order   []*Span // as received
	bytes   int
	seen    map[spanKey]bool // also of what has left
	costs   map[string]Cost  // by request
	tools   map[string]mapping.SpanContext
	known   map[string]mapping.SpanContext // workflows by tool use
	settled []mapping.Tree                 // skeletons of exported workflows
	counts  Counts
}

// NewStore returns an empty one.
func NewStore(o StoreOptions) *Store {
	return &Store{
		o: o, convert: converter{clean: mapping.NewCleaner(o.Redact), content: o.Content, errors: o.Errors},
		spans: map[spanKey]*Span{}, seen: map[spanKey]bool{}, costs: map[string]Cost{},
		tools: map[string]mapping.SpanContext{}, known: map[string]mapping.SpanContext{},
	}
}

// Counts returns them.
func (s *Store) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

func (s *Store) count(f func(*Counts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.counts)
}

// add takes in a payload.
func (s *Store) add(p payload) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, rs := range p.traces.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			scope := ss.GetScope().GetName()
			if !isCLI(scope) {
				s.counts.Foreign += len(ss.GetSpans())
				continue
			}
			for _, one := range ss.GetSpans() {
				s.counts.Spans++
				if len(one.GetTraceId()) != 16 || len(one.GetSpanId()) != 8 {
					s.counts.Dropped++
					continue
				}
				s.addSpan(s.convert.span(scope, one))
			}
		}
	}
	for _, rl := range p.logs.GetResourceLogs() {
		for _, sl := range rl.GetScopeLogs() {
			if !isCLI(sl.GetScope().GetName()) {
				s.counts.Foreign += len(sl.GetLogRecords())
				continue
			}
			for _, r := range sl.GetLogRecords() {
				if c, ok := cost(r); ok && len(s.costs) < maxCosts {
					if _, again := s.costs[c.RequestID]; !again {
						s.counts.Costs++
					}
					s.costs[c.RequestID] = c
				}
			}
		}
	}
}

func (s *Store) addSpan(n *Span) {
	size := sizeOf(n)
	switch {
	case n.TraceID.IsZero() || n.SpanID.IsZero():
		s.counts.Dropped++
		return
	case s.seen[n.key()]:
		s.counts.Duplicates++
		return
	case len(s.order) >= maxSpans || s.bytes+size > maxBytes:
		s.counts.Dropped++
		return
	}
	if len(s.seen) >= maxSeen {
		clear(s.seen) // a sender tries again soon, or not at all
	}
	s.seen[n.key()] = true
	s.spans[n.key()] = n
	s.order = append(s.order, n)
	s.bytes += size
	if n.Tool && n.AgentID == "" && n.ToolUseID != "" && len(s.tools) < maxTools {
		s.tools[n.ToolUseID] = mapping.SpanContext{TraceID: n.TraceID, SpanID: n.SpanID, Sampled: true}
	}
}

func sizeOf(n *Span) int {
	size := 512 + len(n.Name) + len(n.AgentID) + len(n.RunID) + len(n.ToolUseID) + len(n.RequestID) + len(n.Status.Description)
	add := func(attrs []mapping.Attribute) {
		for _, a := range attrs {
			size += 64 + len(a.Key)
			switch v := a.Value.(type) {
			case string:
				size += len(v)
			case []string:
				for _, text := range v {
					size += 16 + len(text)
				}
			}
		}
	}
	add(n.Attributes)
	for _, e := range n.Events {
		size += 64 + len(e.Name)
		add(e.Attributes)
	}
	for _, l := range n.Links {
		size += 64
		add(l.Attributes)
	}
	return size
}

// Known tells the store of a workflow while it is open, so that the call of the tool that started it can be linked.
func (s *Store) Known(t mapping.Tree) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.know(t)
}

func (s *Store) know(t mapping.Tree) {
	if len(t.Spans) == 0 {
		return
	}
	root := &t.Spans[0]
	if id := root.Text(mapping.KeyToolUseID); id != "" && len(s.known) < maxTools {
		s.known[id] = mapping.SpanContext{TraceID: root.TraceID, SpanID: root.SpanID, Sampled: true}
	}
}

// Merge returns the tree of a settled workflow with what belongs to it.
func (s *Store) Merge(t mapping.Tree) mapping.Tree {
	if len(t.Spans) == 0 {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.know(t)
	j := Join(t, s.order, s.costs, s.counts.Dropped > 0 || s.counts.Rejected > 0)
	s.remove(j.Used)
	s.counts.Merged += len(j.Used)
	if s.o.Session.SpanID.IsZero() {
		s.link(&j)
	}
	if len(s.settled) == maxSettle {
		s.settled = append(s.settled[:0], s.settled[1:]...)
	}
	s.settled = append(s.settled, skeleton(t))
	return j.Tree
}

// link points from the workflow to the call of the tool that started it, which is in a trace of its own.
func (s *Store) link(j *Joined) {
	root := &j.Tree.Spans[0]
	to, ok := s.tools[root.Text(mapping.KeyToolUseID)]
	if !ok {
		to = j.From // what its requests hung on
	}
	if to.SpanID.IsZero() || to.TraceID == root.TraceID {
		return
	}
	root.Links = append(root.Links[:len(root.Links):len(root.Links)], mapping.Link{Context: to})
}

// skeleton is what is needed of a tree to find the place of a span.
func skeleton(t mapping.Tree) mapping.Tree {
	out := mapping.Tree{TaskID: t.TaskID, Spans: make([]mapping.Span, 0, len(t.Spans))}
	for i := range t.Spans {
		from := &t.Spans[i]
		to := mapping.Span{
			Kind: from.Kind, TraceID: from.TraceID, SpanID: from.SpanID, ParentID: from.ParentID,
			Start: from.Start, End: from.End, AgentIDs: from.AgentIDs,
		}
		if id := from.Text(mapping.KeyRunID); id != "" {
			to.Attributes = []mapping.Attribute{{Key: mapping.KeyRunID, Value: id}}
		}
		out.Spans = append(out.Spans, to)
	}
	return out
}

func (s *Store) remove(gone []*Span) {
	if len(gone) == 0 {
		return
	}
	left := make(map[spanKey]bool, len(gone))
	for _, n := range gone {
		left[n.key()] = true
		s.bytes -= sizeOf(n)
		delete(s.spans, n.key())
	}
	kept := s.order[:0]
	for _, n := range s.order {
		if !left[n.key()] {
			kept = append(kept, n)
		}
	}
	clear(s.order[len(kept):])
	s.order = kept
}

func hexTrace(id mapping.TraceID) string { return hex.EncodeToString(id[:]) }

func hexSpan(id mapping.SpanID) string { return hex.EncodeToString(id[:]) }
