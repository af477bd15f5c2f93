package page

import (
	"bytes"
	"encoding/json"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"cbc-otel/internal/traces"
	"cbc-otel/mapping"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// hostile is text that tries to leave the place it is put into.
const hostile = "</script><script>alert(1)</script><!--\u2028\u2029\"'&<img src=x onerror=alert(1)>"

// tree is a workflow of one phase and one agent with the given name everywhere.
func tree(name string) mapping.Tree {
	trace := mapping.TraceID{1}
	return mapping.Tree{TaskID: "w", Spans: []mapping.Span{
		{Kind: mapping.WorkflowSpan, TraceID: trace, SpanID: mapping.SpanID{1}, Name: "invoke_workflow " + name, Start: at, End: at.Add(10 * time.Second),
			Attributes: []mapping.Attribute{{Key: mapping.KeyWorkflowName, Value: name}, {Key: mapping.KeyWorkflowStatus, Value: "completed"}, {Key: mapping.KeyUsageTokens, Value: int64(7)}},
			Status:     mapping.Status{Error: true, Description: name}},
		{Kind: mapping.PhaseSpan, TraceID: trace, SpanID: mapping.SpanID{2}, ParentID: mapping.SpanID{1}, Name: "phase " + name, Start: at.Add(time.Second), End: at.Add(9 * time.Second),
			Attributes: []mapping.Attribute{{Key: mapping.KeyPhaseTitle, Value: name}}},
		{Kind: mapping.AgentSpan, TraceID: trace, SpanID: mapping.SpanID{3}, ParentID: mapping.SpanID{2}, Name: "invoke_agent " + name, Start: at.Add(2 * time.Second), End: at.Add(9 * time.Second),
			Attributes: []mapping.Attribute{
				{Key: mapping.KeyAgentName, Value: name}, {Key: mapping.KeyAgentState, Value: "done"}, {Key: mapping.KeyAgentStarted, Value: true},
				{Key: mapping.KeyAgentQueue, Value: int64(1000)}, {Key: mapping.KeyAgentTokens, Value: int64(7)},
				{Key: name, Value: []string{name}}, {Key: "big", Value: int64(math.MaxInt64)}, {Key: "none", Value: math.NaN()},
			},
			Events: []mapping.SpanEvent{{Name: name, Time: at.Add(3 * time.Second), Attributes: []mapping.Attribute{{Key: "k", Value: name}}}},
			Links:  []mapping.Link{{Context: mapping.SpanContext{TraceID: mapping.TraceID{9}, SpanID: mapping.SpanID{9}}}}},
	}}
}

func trace(name string) traces.Trace {
	t := tree(name)
	return traces.Trace{ID: t.Spans[0].TraceID, Tree: t, Path: name, Resource: []mapping.Attribute{{Key: "service.name", Value: name}}}
}

func render(t *testing.T, all ...traces.Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, all, at); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever the texts of a trace are, a report has the elements of one without any.
func TestTextsStayText(t *testing.T) {
	t.Parallel()
	page := render(t, trace(hostile))
	for what, want := range map[string]int{"<script": 2, "</script": 2, "<img": 0, "<!--": 0, "\u2028": 0, "\u2029": 0, "alert(1)": strings.Count(page, `alert(1)\u003c`) + strings.Count(page, `alert(1)\u003e`)} {
		if got := strings.Count(strings.ToLower(page), what); got != want {
			t.Errorf("%d times %q, want %d", got, what, want)
		}
	}
	if d := bundleOf(t, page).Traces[0]; d.Row.Name != hostile || d.Spans[2].Title != hostile || d.Spans[2].Name != "invoke_agent "+hostile || *d.Spans[0].Error != hostile {
		t.Errorf("the text is not the same: %+v", d)
	} else if d.Row.Path != "" {
		t.Errorf("a report says where it was made from: %q", d.Row.Path)
	}
}

func bundleOf(t *testing.T, page string) (b bundle) {
	t.Helper()
	_, rest, _ := strings.Cut(page, `<script type="application/json" id="data">`)
	data, _, _ := strings.Cut(rest, "</script>")
	if err := json.Unmarshal([]byte(data), &b); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestValues(t *testing.T) {
	t.Parallel()
	d := bundleOf(t, render(t, trace("x"))).Traces[0]
	agent := d.Spans[2]
	got := map[string]any{}
	for i := 0; i < len(agent.Attributes); i += 2 {
		got[d.Keys[int(agent.Attributes[i].(float64))]] = agent.Attributes[i+1]
	}
	if got["big"] != "9223372036854775807" || got["none"] != "NaN" || got[mapping.KeyAgentQueue] != 1000.0 {
		t.Errorf("%v", got)
	}
	if agent.Start != at.Add(2*time.Second).UnixMicro() || agent.Queue != 1e6 || agent.State != "done" || *agent.Tokens != 7 || len(agent.Events) != 1 || len(agent.Links) != 1 {
		t.Errorf("%+v", agent)
	}
	if in := d.Insight; len(in.Critical) != 1 || in.Critical[0] != agent.ID || len(in.Phases) != 1 || in.Phases[0].Tokens != 7 || in.Concurrency != 1 {
		t.Errorf("%+v", in)
	}
	if d.Row.States["done"] != 1 || *d.Row.Tokens != 7 || d.Row.Key != trace("x").Key() {
		t.Errorf("%+v", d.Row)
	}
}

// A report forbids everything but its own script and style, which its policy names.
func TestPolicy(t *testing.T) {
	t.Parallel()
	page := render(t, trace("x"))
	head := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(page)
	if head == nil || strings.Index(page, head[0]) > strings.Index(page, "<style>") {
		t.Fatal("no policy before the style")
	}
	policy := strings.ReplaceAll(head[1], "&#39;", "'")
	script := page[strings.LastIndex(page, "<script>")+len("<script>") : strings.LastIndex(page, "</script>")]
	style := page[strings.Index(page, "<style>")+len("<style>") : strings.Index(page, "</style>")]
	for _, want := range []string{"default-src 'none'", "script-src " + hash(script) + ";", "style-src " + hash(style) + ";", "base-uri 'none'", "form-action 'none'", "trusted-types 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy %q lacks %q", policy, want)
		}
	}
	for _, never := range []string{"unsafe", "http", "connect-src", "*"} {
		if strings.Contains(policy, never) {
			t.Errorf("policy %q has %q", policy, never)
		}
	}
	html, live := Live()
	if live != policy+"; connect-src 'self'; frame-ancestors 'none'" || bytes.Contains(html, []byte("Content-Security-Policy")) {
		t.Errorf("live policy %q", live)
	}
}

// The page makes no HTML of texts, and refers to nothing elsewhere.
func TestAssetsAreHarmless(t *testing.T) {
	t.Parallel()
	script := bundleScript()
	for _, never := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "</script", "http:", "https:", "import(", "setAttribute(\"style\""} {
		if strings.Contains(script, never) {
			t.Errorf("the script has %q", never)
		}
	}
	if style := bundleStyle(); strings.Contains(style, "url(") || strings.Contains(style, "@import") || strings.Contains(style, "</style") {
		t.Error("the style refers to something")
	}
	html := strings.ReplaceAll(asset("page.html"), "http://www.w3.org/2000/svg", "")
	if strings.Contains(html, "//") || regexp.MustCompile(`\s(on\w+|style)=`).MatchString(html) {
		t.Error("the page refers to something or has a script or style in an attribute")
	}
	for _, part := range []string{"{{style}}", "{{script}}", "{{csp}}", "{{data}}"} {
		if strings.Count(asset("page.html"), part) != 1 {
			t.Errorf("page.html must have %s once", part)
		}
	}
}

// Every file of the assets is used, and every script is one.
func TestAssetsAreUsed(t *testing.T) {
	t.Parallel()
	for kind, used := range map[string][]string{"js": scripts, "css": styles} {
		entries, err := assets.ReadDir("assets/" + kind)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != len(used) {
			t.Errorf("%d files in assets/%s, %d are used", len(entries), kind, len(used))
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node to check the modules with")
	}
	if out, err := exec.Command(node, "--test", filepath.Join("testdata", "modules.test.mjs")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A thousand agents fit into 2 MB, and the page without them into 1 MB.
func TestSize(t *testing.T) {
	t.Parallel()
	if n := len(render(t)); n > 200_000 {
		t.Errorf("the page alone has %d bytes", n)
	}
	big := trace("a workflow with an ordinary name")
	agent := big.Tree.Spans[2]
	for i := range 1000 {
		s := agent
		s.SpanID = mapping.SpanID{4, byte(i), byte(i >> 8)}
		s.Attributes = append(s.Attributes[:len(s.Attributes):len(s.Attributes)], mapping.Attribute{Key: mapping.KeyConversation, Value: "5f2b0c1e-9d4a-4b7e-8a53-2f6f1f0c9b11"},
			mapping.Attribute{Key: mapping.KeyModel, Value: "claude-sonnet-4-5-20250929"}, mapping.Attribute{Key: mapping.KeyLastToolNote, Value: strings.Repeat("note ", 40)})
		big.Tree.Spans = append(big.Tree.Spans, s)
	}
	if n := len(render(t, big)); n > 2_000_000 {
		t.Errorf("1,000 agents have %d bytes", n)
	}
}

func TestFollower(t *testing.T) {
	t.Parallel()
	tr := trace("x")
	tr.Live, tr.Open = true, map[mapping.SpanID]bool{{1}: true, {3}: true}
	var f Follower
	next := func() *Doc {
		t.Helper()
		d, err := f.Next(tr)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := next(); !d.Full || len(d.Spans) != 3 || d.Spans[0].Open != 1 || d.Spans[0].End != 0 || d.At == 0 {
		t.Fatalf("%+v", d)
	}
	// Time goes on, which is no news.
	tr.Tree.Spans[0].End = tr.Tree.Spans[0].End.Add(time.Second)
	tr.Tree.Spans[2].End = tr.Tree.Spans[2].End.Add(time.Second)
	if d := next(); d != nil {
		t.Fatalf("%+v", d)
	}
	tr.Open = map[mapping.SpanID]bool{{1}: true}
	if d := next(); d.Full || len(d.Spans) != 1 || d.Spans[0].ID != "0300000000000000" || d.Spans[0].Open != 0 {
		t.Fatalf("%+v", d)
	}
	tr.Tree.Spans = tr.Tree.Spans[:2]
	if d := next(); len(d.Spans) != 0 || len(d.Gone) != 1 || d.Gone[0] != "0300000000000000" {
		t.Fatalf("%+v", d)
	}
	tr.Live, tr.Open = false, nil
	if d := next(); d.Row.Live || len(d.Spans) != 1 {
		t.Fatalf("%+v", d)
	}
	if d := next(); d != nil {
		t.Fatalf("%+v", d)
	}
}
