package markdown

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	nethtml "golang.org/x/net/html"

	"cbc-otel/internal/summary"
	"cbc-otel/mapping"
)

// gfm lets raw HTML through, so that whatever is not text shows.
var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))

func render(t *testing.T, markdown string) (*nethtml.Node, string) {
	t.Helper()
	var out bytes.Buffer
	if err := gfm.Convert([]byte(markdown), &out); err != nil {
		t.Fatal(err)
	}
	root, err := nethtml.Parse(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return root, out.String()
}

func walk(n *nethtml.Node, visit func(*nethtml.Node)) {
	visit(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		walk(c, visit)
	}
}

func content(n *nethtml.Node) string {
	var b strings.Builder
	walk(n, func(n *nethtml.Node) {
		if n.Type == nethtml.TextNode {
			b.WriteString(n.Data)
		}
	})
	return strings.TrimSpace(b.String())
}

var hostile = []string{
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</td></table><h1>x</h1>", "<!-- -->", "-->", "<!--", "a <b> c", "<https://evil.example>",
	"![x](https://evil.example/x.png)", "[x](https://evil.example)", "[x][1]", "[x]: https://evil.example", "[^1]", "- [x] task",
	"https://evil.example/path", "HTTPS://evil.example", "www.evil.example", "WWW.evil.example", "mail me@evil.example now", "@octocat", "acme/widgets#12", "#12",
	"a|b", "\\|", "\\\\|", "a\\", "`a|b`", "`code`", "``", "```", "~~~", "**b**", "__b__", "*i*", "_i_", "~~s~~", "~s~", "***", "---", "===",
	"# head", "> quote", "1. one", "+ plus", "$a$", "$$a$$", "&lt;b&gt;", "&#60;b&#62;", "&amp;", "&copy", ":smile:",
	"::error file=a,line=1::boom", "##[error]boom", "##vso[task.complete]", "a::b",
}

// hardened is what stays of a label that the terminal is not to see.
var hardened = map[string]string{
	"\x1b[31mred\x1b[0m": "red", "\x1b]0;title\x07x": "x", "one\ntwo": "one two", "one\r\n\r\n# two": "one # two", "\u202etxt.exe": "txt.exe", "a\x00b": "ab",
	"a\n| b | c |\n| --- | --- |": "a | b | c | | --- | --- |",
}

func page(label string) string {
	at := func(s int64) time.Time { return time.Unix(1.7e9+s, 0) }
	failed := mapping.Status{Error: true, Description: label}
	var s summary.Summary
	s.Add(mapping.Tree{Spans: []mapping.Span{
		{Kind: mapping.WorkflowSpan, Name: "invoke_workflow " + label, Start: at(0), End: at(9), Status: failed, Attributes: []mapping.Attribute{{Key: mapping.KeyWorkflowStatus, Value: "failed"}}},
		{Kind: mapping.PhaseSpan, SpanID: mapping.SpanID{1}, Name: "phase " + label, Start: at(0), End: at(9)},
		{Kind: mapping.AgentSpan, ParentID: mapping.SpanID{1}, Name: "invoke_agent " + label, Start: at(0), End: at(5), Status: failed, Attributes: []mapping.Attribute{{Key: mapping.KeyAgentState, Value: label}}},
		{Kind: mapping.AgentSpan, ParentID: mapping.SpanID{1}, Name: "invoke_agent " + label, Start: at(0), End: at(4)},
	}})
	return s.Markdown("https://traces.example/{trace_id}")
}

// Whatever a label, a title, a state or an error holds, it is shown as the text it is: the page has the elements of
// a harmless one, in the same order, and its cells hold the label.
func TestHostileTextIsText(t *testing.T) {
	t.Parallel()
	want, _ := elements(t, page("harmless"))
	cases := map[string]string{}
	for _, label := range hostile {
		cases[label] = label
	}
	for label, shown := range hardened {
		cases[label] = shown
	}
	for label, shown := range cases {
		markdown := page(label)
		got, texts := elements(t, markdown)
		if got != want {
			t.Errorf("%q: elements\n%s\nwant\n%s\n%s", label, got, want, markdown)
			continue
		}
		cells := 0
		for _, text := range texts {
			if text == shown {
				cells++
			}
		}
		if cells != 10 { // one phase; 3 and 2 cells of the slowest agents; 4 of the failed one
			t.Errorf("%q: shown in %d cells\n%q\n%s", label, cells, texts, markdown)
		}
		for line := range strings.Lines(markdown) {
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") || strings.Contains(line, "##vso[") || strings.Contains(line, "\x1b") {
				t.Errorf("%q: a CI system would take this for a command: %q", label, line)
			}
		}
	}
}

// elements lists the names of the elements with their links, and the texts of the table's cells.
func elements(t *testing.T, markdown string) (names string, cells []string) {
	t.Helper()
	root, _ := render(t, markdown)
	var b strings.Builder
	walk(root, func(n *nethtml.Node) {
		if n.Type != nethtml.ElementNode {
			return
		}
		b.WriteString(n.Data)
		for _, a := range n.Attr {
			if a.Key != "style" && a.Key != "align" && !(n.Data == "h3" && a.Key == "id") {
				b.WriteString(" " + a.Key + "=" + a.Val)
			}
		}
		b.WriteString("\n")
		if n.Data == "td" {
			cells = append(cells, content(n))
		}
	})
	return b.String(), cells
}

// The check above would see a label that is not escaped.
func TestRendererIsNotBlind(t *testing.T) {
	t.Parallel()
	want, _ := elements(t, "| a |\n| --- |\n| harmless |\n")
	blind := 0
	for _, label := range hostile {
		if got, cells := elements(t, "| a |\n| --- |\n| "+label+" |\n"); got == want && len(cells) == 1 && cells[0] == label {
			blind++
		}
	}
	if len(hostile)-blind < 20 {
		t.Errorf("%d of %d labels show as text without escaping", blind, len(hostile))
	}
}
