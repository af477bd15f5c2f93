package summary

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/internal/replay"
	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

func collect(t *testing.T, capture string) *Summary {
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
	var s Summary
	if _, err := replay.Run(in, replay.Options{Mapping: mapping.Options{Origin: time.Unix(1.7e9, 0)}, OnTree: s.Add}); err != nil {
		t.Fatal(err)
	}
	return &s
}

func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ capture, link string }{
		{"01-success", "http://localhost:16686/trace/{trace_id}"}, {"02-interrupt", ""}, {"06-two-concurrent", ""}, {"11-150-agents", ""},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			t.Parallel()
			got := collect(t, tt.capture).Markdown(tt.link)
			golden := filepath.Join("testdata", tt.capture+".md")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestNothing(t *testing.T) {
	t.Parallel()
	var s Summary
	s.Add(mapping.Tree{TaskID: "dropped by the rules"})
	if got := s.Markdown(""); got != "" {
		t.Errorf("%q", got)
	}
}

// A thousand workflows of a thousand agents that all failed make a page that people can read.
func TestBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("<", 2000)
	tree := mapping.Tree{Spans: []mapping.Span{{Kind: mapping.WorkflowSpan, Name: "invoke_workflow " + long}}}
	for i := range 100 {
		tree.Spans = append(tree.Spans, mapping.Span{Kind: mapping.PhaseSpan, SpanID: mapping.SpanID{byte(i)}, Name: "phase " + long})
	}
	for i := range 1000 {
		tree.Spans = append(tree.Spans, mapping.Span{
			Kind: mapping.AgentSpan, Name: fmt.Sprintf("invoke_agent a%d", i), Status: mapping.Status{Error: true, Description: long},
			Start: time.Unix(0, 0), End: time.Unix(int64(i*7919%1000), 0),
		})
	}
	var s Summary
	for range 1000 {
		s.Add(tree)
	}
	got := s.Markdown("")
	if len(got) > 1<<20 {
		t.Errorf("%d bytes", len(got))
	}
	for _, want := range []string{
		" more workflows are not shown", "980 more failed agents are not shown", "70 more phases are not shown",
		"| 16m39s |", "| 16m35s |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(got, "| 16m34s |") {
		t.Error("the sixth is among the five slowest")
	}
}

func TestEscape(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain, label (2) + 50% - ok!":       "plain, label (2) + 50% - ok!",
		"a|b":                                "a&#124;b",
		"<img src=x onerror=alert(1)>":       "&#60;img src=x onerror=alert(1)&#62;",
		"&lt;":                               "&#38;lt;",
		"**b** _i_ `c` ~~s~~ \\":             "\\*\\*b\\*\\* \\_i\\_ \\`c\\` \\~\\~s\\~\\~ \\\\",
		"[x](javascript:alert(1))":           "\\[x\\](javascript:alert(1))",
		"gather:alpha":                       "gather:alpha",
		"see https://e.x :smile:":            "see https&#58;<!-- -->//e.x &#58;<!-- -->smile&#58;<!-- -->",
		"http://e.x":                         "http&#58;<!-- -->//e.x",
		"::error file=a::b":                  "&#58;<!-- -->&#58;<!-- -->error file=a&#58;<!-- -->&#58;<!-- -->b",
		"##vso[task.setvariable]":            "\\#<!-- -->\\#<!-- -->vso\\[task.setvariable\\]",
		"@octocat #12":                       "\\@<!-- -->octocat \\#<!-- -->12",
		"www.example.com WWW.x awww.":        "www<!-- -->.example.com WWW<!-- -->.x awww.",
		"\x1b[31mred\x1b[0m\nnext\r\n- item": "red next - item",
		"\u202egnp.exe":                      "gnp.exe",
		"$a$":                                "&#36;a&#36;",
	} {
		if got := Escape(in); got != want {
			t.Errorf("%q\ngot  %s\nwant %s", in, got, want)
		}
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "summary.md")
	for _, text := range []string{"one\n", "two\n"} {
		if err := Append(path, text); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil || string(data) != "one\ntwo\n" {
		t.Errorf("%q, %v", data, err)
	}
	if err := Append(dir, "x"); err == nil || err.Error() != "summary: "+dir+" is not a regular file" {
		t.Errorf("folder: %v", err)
	}
	if err := Append(filepath.Join(dir, "no", "file"), "x"); err == nil || !strings.HasPrefix(err.Error(), "summary: open ") {
		t.Errorf("no folder: %v", err)
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	env := func(name string) string { return map[string]string{"GITHUB_STEP_SUMMARY": "/tmp/s"}[name] }
	none := func(string) string { return "" }
	if got := Path("auto", env); got != "/tmp/s" {
		t.Error(got)
	}
	if got := Path("auto", none); got != "" {
		t.Error(got)
	}
	if got := Path("x.md", env); got != "x.md" {
		t.Error(got)
	}
}
