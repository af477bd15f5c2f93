package traces

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"cbc-otel/internal/journal"
	"cbc-otel/mapping"
)

// Journals returns the workflows that running wrappers have journaled in dir and not exported yet, the oldest first.
// Journals of runs that were killed are left alone.
func Journals(dir string, o Options) ([]Trace, error) {
	paths, err := journal.Paths(dir)
	if err != nil {
		return nil, err
	}
	now := o.now()
	var all []Trace
	for _, path := range paths {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || !journal.Alive(path, now) {
			continue
		}
		header, found, err := journal.Read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has just ended in order
		}
		if err != nil {
			o.report(path, 0, err)
		}
		for _, r := range found {
			if r.Tree.Spans[0].Kind != mapping.WorkflowSpan {
				continue
			}
			all = append(all, live(r, header.Attributes(), path, now))
		}
	}
	slices.SortStableFunc(all, func(a, b Trace) int { return a.Tree.Spans[0].Start.Compare(b.Tree.Spans[0].Start) })
	return all, nil
}

// JournalStamp changes whenever the journals in dir may have: compare two of them.
func JournalStamp(dir string) (string, error) {
	files, err := filesIn(dir, ".journal")
	if err != nil {
		return "", err
	}
	return stamp(files), nil
}

// live makes a trace of a workflow in a journal. Its open spans were written as if the stream ended there; here they
// go on until now.
func live(r journal.Recovered, resource []mapping.Attribute, path string, now time.Time) Trace {
	t := Trace{ID: r.Tree.Spans[0].TraceID, Tree: r.Tree, Resource: resource, Path: path, Open: make(map[mapping.SpanID]bool, len(r.Open))}
	for _, id := range r.Open {
		t.Open[id] = true
	}
	root := &t.Tree.Spans[0]
	if !t.Open[root.SpanID] {
		return t // over, and about to be exported
	}
	t.Live = true
	for i := range t.Tree.Spans {
		s := &t.Tree.Spans[i]
		if !t.Open[s.SpanID] {
			continue
		}
		if now.After(s.End) {
			s.End = now
		}
		s.Status = mapping.Status{}
		s.Attributes = slices.DeleteFunc(s.Attributes, func(a mapping.Attribute) bool {
			return a.Key == mapping.KeyErrorType || a.Key == mapping.KeyExitCode
		})
		switch s.Kind {
		case mapping.WorkflowSpan:
			set(s, mapping.KeyWorkflowStatus, Running)
		case mapping.AgentSpan:
			set(s, mapping.KeyAgentState, Running)
			if started, known := s.Value(mapping.KeyAgentStarted).(bool); known && !started {
				set(s, mapping.KeyAgentState, Queued)
			}
		}
	}
	recount(t.Tree)
	return t
}

// recount corrects the counts of agents that were taken for cancelled because they had not ended, and adds those of
// the states they are in. Counts that rules took away stay away.
func recount(t mapping.Tree) {
	byParent := map[mapping.SpanID]map[string]int64{}
	root := t.Spans[0].SpanID
	count := func(id mapping.SpanID, state string) {
		if byParent[id] == nil {
			byParent[id] = map[string]int64{}
		}
		byParent[id][state]++
	}
	for i := range t.Spans {
		if s := &t.Spans[i]; s.Kind == mapping.AgentSpan {
			state := s.Text(mapping.KeyAgentState)
			count(root, state)
			if s.ParentID != root {
				count(s.ParentID, state)
			}
		}
	}
	for i := range t.Spans {
		s := &t.Spans[i]
		prefix := mapping.PrefixPhaseAgents
		switch s.Kind {
		case mapping.WorkflowSpan:
			prefix = mapping.PrefixWorkflowAgents
		case mapping.PhaseSpan:
		default:
			continue
		}
		for _, state := range [...]string{"cancelled", "unfinished"} {
			set(s, prefix+state, byParent[s.SpanID][state])
		}
		if _, counted := s.Int(prefix + "total"); counted {
			for _, state := range [...]string{Running, Queued} {
				s.Attributes = append(s.Attributes, mapping.Attribute{Key: prefix + state, Value: byParent[s.SpanID][state]})
			}
		}
	}
}

// set changes an attribute, unless rules took it away.
func set(s *mapping.Span, key string, value any) {
	for i := range s.Attributes {
		if s.Attributes[i].Key == key {
			s.Attributes[i].Value = value
		}
	}
}
