package golden

import (
	"bytes"
	"fmt"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"cbc-otel/mapping"
)

// What a stream says up to any point, and then its end, is a closed tree for each workflow that it started: with
// the right spans, unique ids, parents that exist, and times that fit into each other.
func TestEveryPrefixIsAClosedTree(t *testing.T) {
	t.Parallel()
	for _, name := range streams(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream := read(t, name)
			for _, cut := range cuts(stream) {
				prefix := stream[:cut]
				trees, _ := replayed(t, prefix, golden{}.options())
				if err := check(trees, count(prefix)); err != nil {
					t.Fatalf("the first %d bytes: %v", cut, err)
				}
			}
		})
	}
}

// cuts returns where to cut a stream: behind every line, before its newline and somewhere inside it. Of streams
// of which that would be too much work it returns some, evenly spread, and the whole.
func cuts(stream []byte) []int {
	const budget = 4 << 20 // bytes to read in all
	var all []int
	start := 0
	for start < len(stream) {
		length := bytes.IndexByte(stream[start:], '\n') + 1
		if length == 0 {
			length = len(stream) - start
		}
		all = append(all, start, start+length/2, start+length-1)
		start += length
	}
	step := 1 + len(all)*len(stream)/2/budget
	var some []int
	for i := 0; i < len(all); i += step {
		some = append(some, all[i])
	}
	return append(some, len(stream))
}

func check(trees []mapping.Tree, want []*expected) error {
	type id struct {
		trace mapping.TraceID
		span  mapping.SpanID
	}
	seen := make(map[id]bool)
	open := make(map[string][]*expected)
	for _, e := range want {
		open[e.taskID] = append(open[e.taskID], e)
	}
	for _, tree := range trees {
		runs := open[tree.TaskID]
		if len(runs) == 0 {
			return fmt.Errorf("a tree too many for task %q", tree.TaskID)
		}
		open[tree.TaskID] = runs[1:]
		if err := checkTree(tree, runs[0]); err != nil {
			return fmt.Errorf("task %s: %w", tree.TaskID, err)
		}
		for _, s := range tree.Spans {
			if k := (id{s.TraceID, s.SpanID}); seen[k] {
				return fmt.Errorf("task %s: span id %x is there twice", tree.TaskID, s.SpanID)
			} else {
				seen[k] = true
			}
		}
	}
	for task, runs := range open {
		if len(runs) > 0 {
			return fmt.Errorf("no tree for task %q", task)
		}
	}
	return nil
}

func checkTree(tree mapping.Tree, want *expected) error {
	if len(tree.Spans) != want.spans() {
		return fmt.Errorf("%d spans, want %d", len(tree.Spans), want.spans())
	}
	root := tree.Spans[0]
	byID := make(map[mapping.SpanID]mapping.Span)
	agents := make(map[int64]place)
	for i, s := range tree.Spans {
		if err := checkSpan(s, root, byID, i == 0); err != nil {
			return fmt.Errorf("span %d (%s): %w", i, s.Name, err)
		}
		byID[s.SpanID] = s
		if s.Kind == mapping.AgentSpan {
			index, _ := attribute(s, "cbc.agent.index").(int64)
			phase, inPhase := attribute(byID[s.ParentID], "cbc.phase.index").(int64)
			agents[index] = place{phase, inPhase}
		}
	}
	if len(agents) != len(want.agents) {
		return fmt.Errorf("agents %v, want %v", agents, want.agents)
	}
	for index, p := range want.agents {
		if got, ok := agents[index]; !ok || got != p {
			return fmt.Errorf("agents %v, want %v", agents, want.agents)
		}
	}
	return nil
}

// checkSpan checks one span against its parent, which must stand before it in the tree.
func checkSpan(s, root mapping.Span, before map[mapping.SpanID]mapping.Span, first bool) error {
	switch {
	case first != (s.Kind == mapping.WorkflowSpan):
		return fmt.Errorf("the workflow's span is first, and no other one is: %s", s.Kind)
	case s.TraceID.IsZero() || s.SpanID.IsZero() || s.TraceID != root.TraceID:
		return fmt.Errorf("ids %x/%x in trace %x", s.TraceID, s.SpanID, root.TraceID)
	case s.End.Before(s.Start):
		return fmt.Errorf("ends at %s, starts at %s", s.End, s.Start)
	case s.Start.Year() < 2001 || s.End.Year() > 2100:
		return fmt.Errorf("from %s to %s", s.Start, s.End)
	case !s.Status.Error && (s.Status.Description != "" || attribute(s, "error.type") != nil):
		return fmt.Errorf("unset, yet with %q, error.type %v", s.Status.Description, attribute(s, "error.type"))
	case s.Status.Error && attribute(s, "error.type") == nil:
		return fmt.Errorf("an error without error.type")
	}
	if err := checkTexts(s); err != nil {
		return err
	}
	if first {
		if !s.ParentID.IsZero() {
			return fmt.Errorf("parent %x", s.ParentID)
		}
		return nil
	}
	parent, ok := before[s.ParentID]
	switch {
	case !ok:
		return fmt.Errorf("no parent %x before it", s.ParentID)
	case s.Kind == mapping.PhaseSpan && parent.Kind != mapping.WorkflowSpan,
		s.Kind == mapping.AgentSpan && parent.Kind == mapping.AgentSpan:
		return fmt.Errorf("a %s under a %s", s.Kind, parent.Kind)
	case s.Start.Before(parent.Start) || s.End.After(parent.End):
		return fmt.Errorf("%s to %s is not within %s to %s", clock(s.Start), clock(s.End), clock(parent.Start), clock(parent.End))
	}
	return nil
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

// checkTexts checks that nothing in a span could upset an exporter or a terminal.
func checkTexts(s mapping.Span) error {
	texts := []string{s.Name, s.Status.Description}
	add := func(all []mapping.Attribute) {
		for _, a := range all {
			switch v := a.Value.(type) {
			case string:
				texts = append(texts, v)
			case []string:
				texts = append(texts, v...)
			}
		}
	}
	add(s.Attributes)
	for _, e := range s.Events {
		add(e.Attributes)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return fmt.Errorf("not UTF-8: %q", text)
		}
		if n := utf8.RuneCountInString(text); n > 1024 {
			return fmt.Errorf("%d runes long: %q…", n, text[:80])
		}
		for _, r := range text {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) && r >= 0x202a {
				return fmt.Errorf("holds %U: %q", r, text)
			}
		}
	}
	if n := utf8.RuneCountInString(s.Name); n > 128 {
		return fmt.Errorf("a name of %d runes: %q", n, s.Name)
	}
	return nil
}

func attribute(s mapping.Span, key string) any {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value
		}
	}
	return nil
}
