package waterfall_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/internal/readable"
	"cbc-otel/internal/replay"
	"cbc-otel/internal/testdata"
	"cbc-otel/internal/waterfall"
	"cbc-otel/mapping"
)

var update = flag.Bool("update", false, "rewrite the pictures in testdata")

var epoch = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func at(s float64) time.Time { return epoch.Add(time.Duration(s * float64(time.Second))) }

func attrs(pairs ...any) (list []mapping.Attribute) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, mapping.Attribute{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return list
}

func agent(id byte, parent byte, name, state string, from, to float64, more ...any) mapping.Span {
	s := mapping.Span{
		Kind: mapping.AgentSpan, SpanID: mapping.SpanID{id}, ParentID: mapping.SpanID{parent}, Name: "invoke_agent " + name, Start: at(from), End: at(to),
		Attributes: attrs(append([]any{mapping.KeyAgentState, state, mapping.KeyAgentStarted, true}, more...)...),
	}
	return s
}

// gallery is a workflow with something of everything.
func gallery() mapping.Tree {
	total := mapping.PrefixWorkflowAgents
	t := mapping.Tree{Spans: []mapping.Span{
		{
			Kind: mapping.WorkflowSpan, TraceID: mapping.TraceID{0xab, 0xcd}, SpanID: mapping.SpanID{1}, Name: "invoke_workflow 代码审查 🚀", Start: at(0), End: at(95),
			Attributes: attrs(mapping.KeyWorkflowStatus, "completed", total+"total", int64(9), total+"error", int64(1), total+"cached", int64(1), total+"cancelled", int64(1), mapping.KeyUsageTokens, int64(1234567)),
		},
		{Kind: mapping.PhaseSpan, SpanID: mapping.SpanID{2}, ParentID: mapping.SpanID{1}, Name: "phase 收集", Start: at(0), End: at(60), Attributes: attrs(mapping.KeyPhaseTokens, int64(5000))},
		agent(10, 2, "检索 changelog", "done", 0, 12, mapping.KeyAgentTokens, int64(1000)),
		agent(11, 2, "👩‍👩‍👧 family", "done", 12, 22, mapping.KeyAgentQueue, int64(12000), mapping.KeyAgentTokens, int64(2000)),
		agent(12, 2, "エージェントの名前はとても長いので切られます", "done", 0, 14, mapping.KeyAgentTokens, int64(500)),
		agent(13, 2, "slow one", "done", 14, 60, mapping.KeyAgentQueue, int64(14000), mapping.KeyAgentTokens, int64(1500)),
		{Kind: mapping.PhaseSpan, SpanID: mapping.SpanID{3}, ParentID: mapping.SpanID{1}, Name: "phase Review ✅", Start: at(60), End: at(90), Status: mapping.Status{Error: true, Description: "1 of 4 agents failed"}, Attributes: attrs(mapping.KeyPhaseTokens, int64(123456))},
		agent(14, 3, "review security", "error", 60, 80, mapping.KeyAgentTokens, int64(123456)),
		agent(15, 3, "한국어 검토", "cached", 60, 60),
		agent(16, 3, "never started", "cancelled", 60, 90),
		agent(17, 3, "Проверка 🇩🇪🇨🇳", "done", 60, 90),
		agent(18, 1, "agent-9", "done", 90, 95),
		{Kind: mapping.RequestSpan, SpanID: mapping.SpanID{30}, ParentID: mapping.SpanID{18}, Name: "chat some-model", Start: at(91), End: at(94)},
	}}
	t.Spans[7].Status = mapping.Status{Error: true, Description: "API Error: 500 a long description of what went wrong, 很长的描述 longer than the line"}
	t.Spans[9].Attributes = attrs(mapping.KeyAgentState, "cancelled", mapping.KeyAgentStarted, false)
	return t
}

func TestGallery(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]waterfall.Options{
		"60": {Width: 60, Insights: true}, "80": {Width: 80, Insights: true}, "160": {Width: 160, Insights: true},
		"plain": {Width: 100}, "ascii": {Width: 80, Insights: true, ASCII: true}, "below": {Width: 80, Below: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := waterfall.Draw(gallery(), o)
			golden(t, "gallery-"+name+".txt", got)
			narrowerThan(t, got, o.Width)
			// Colours change nothing but how it looks.
			o.Color = true
			coloured := waterfall.Draw(gallery(), o)
			if stripped := sgr.ReplaceAllString(coloured, ""); stripped != trailing.ReplaceAllString(got, "") && stripped != got {
				t.Errorf("(-plain +coloured)\n%s", cmp.Diff(got, stripped))
			}
			if !strings.Contains(coloured, "\x1b[31m") {
				t.Error("a failed agent is not red")
			}
		})
	}
}

var (
	sgr      = regexp.MustCompile("\x1b\\[[0-9;]*m")
	trailing = regexp.MustCompile(`(?m) +$`)
)

// Every capture at a common width.
func TestCaptures(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, name := range []string{"01-success", "02-interrupt", "07-nested", "08-resume", "09-no-phase", "10-zero-agents", "12-unicode", "13b-stall-retry", "16-sigterm"} {
		for _, tree := range trees(t, name) {
			fmt.Fprintf(&b, "== %s\n%s", name, waterfall.Draw(tree, waterfall.Options{Width: 100, Insights: true}))
		}
	}
	golden(t, "captures.txt", b.String())
	narrowerThan(t, b.String(), 100)
}

func trees(t *testing.T, capture string) (all []mapping.Tree) {
	t.Helper()
	c, err := testdata.Find(capture)
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := replay.Run(in, replay.Options{OnTree: func(t mapping.Tree) { all = append(all, t) }}); err != nil {
		t.Fatal(err)
	}
	return all
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s; -update rewrites it (-want +got)\n%s", path, diff)
	}
}

func narrowerThan(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if w := readable.Width(strings.TrimSuffix(line, "\n")); w > width {
			t.Errorf("%d columns, not %d: %s", w, width, line)
		}
	}
}

// A thousand agents, whatever the width: a line each, and no line too long.
func TestThousandAgents(t *testing.T) {
	t.Parallel()
	tree := gallery()
	for i := range 1000 {
		s := agent(18, 2, fmt.Sprint("検索 ", i), "done", float64(i%90), float64(i%90+1))
		s.SpanID = mapping.SpanID{99, byte(i >> 8), byte(i)}
		tree.Spans = append(tree.Spans, s)
	}
	for _, width := range []int{1, 20, 40, 60, 200, 1000} {
		got := waterfall.Draw(tree, waterfall.Options{Width: width, Insights: true})
		if n := strings.Count(got, "\n"); n < 1014 || n > 1020 {
			t.Errorf("%d lines", n)
		}
		narrowerThan(t, got, width)
	}
}

// Whatever is in a tree: no line breaks, no terminal sequences, no endless loop.
func TestHostileTrees(t *testing.T) {
	t.Parallel()
	tree := gallery()
	for i := range tree.Spans {
		tree.Spans[i].Name = "invoke_agent x\n::error::y\x1b[2Jz\u202e\r\x07"
		tree.Spans[i].Status = mapping.Status{Error: true, Description: "a\r\nb\x1b]0;t\x07"}
		tree.Spans[i].Attributes = attrs(mapping.KeyAgentState, "x\ny\x1b[31m", mapping.KeyWorkflowStatus, "p\nq", mapping.KeyAgentQueue, int64(1)<<62, mapping.KeyAgentTokens, int64(-1)<<63)
	}
	tree.Spans[3].ParentID = tree.Spans[3].SpanID
	tree.Spans[4].ParentID, tree.Spans[5].ParentID = tree.Spans[5].SpanID, tree.Spans[4].SpanID
	tree.Spans[6].Start, tree.Spans[6].End = time.Unix(1<<40, 0), time.Unix(-1<<40, 0)
	for _, o := range []waterfall.Options{{Width: 80, Insights: true}, {Width: 80, Insights: true, Color: true, Below: true}} {
		got := waterfall.Draw(tree, o)
		if strings.ContainsAny(sgr.ReplaceAllString(got, ""), "\r\x1b\x07\u202e") || strings.Count(got, "\n") > 20 {
			t.Errorf("%q", got)
		}
	}
	if waterfall.Draw(mapping.Tree{}, waterfall.Options{Width: 80}) != "" {
		t.Error("an empty tree has a picture")
	}
}
