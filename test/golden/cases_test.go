package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cbc-otel/internal/insight"
	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

// origin stands for the modification time of every stream's file. It is later than all that happens in them.
var origin = time.Date(2026, 12, 1, 22, 0, 0, 0, time.UTC)

// inbound is a parent from outside, as a TRACEPARENT would name it.
var inbound = mapping.SpanContext{
	TraceID:    mapping.TraceID{0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36},
	SpanID:     mapping.SpanID{0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7},
	Sampled:    true,
	TraceState: "vendor=1",
}

// handWritten lists the trees that were not made by the program they check.
var handWritten = []string{
	"01-success", "02-interrupt", "13b-stall-retry", "13c-throttle-retry", "16c-resume-session",
	"32-clear-midrun", "latest-02-interrupt", "cbc-interrupt",
}

// A golden is one stream, mapped with certain options, and the file with the trees that must come out.
type golden struct {
	name   string // of the file in testdata/trees, without ending
	stream string
	change func(*mapping.Options) // what differs from the defaults
}

// goldens has every stream once with the default options, and some again with others.
func goldens(t *testing.T) []golden {
	t.Helper()
	var all []golden
	for _, s := range streams(t) {
		all = append(all, golden{name: s, stream: s})
	}
	content := func(o *mapping.Options) { o.Content = true }
	return append(all,
		golden{"04-script-throws.content", "04-script-throws", content},
		golden{"12-unicode.content", "12-unicode", content},
		golden{"claude-content.content", "claude-content", content},
		golden{"claude-content.no-texts", "claude-content", func(o *mapping.Options) { o.AgentNames, o.ErrorText = "none", "type" }},
		golden{"claude-ends.types", "claude-ends", func(o *mapping.Options) { o.AgentNames = "type" }},
		golden{"06-two-concurrent.child", "06-two-concurrent", func(o *mapping.Options) { o.Parent = inbound }},
		golden{"09-no-phase.link", "09-no-phase", func(o *mapping.Options) { o.Parent, o.ParentMode = inbound, "link" }},
		golden{"09-no-phase.ignore", "09-no-phase", func(o *mapping.Options) { o.Parent, o.ParentMode = inbound, "ignore" }},
		golden{"cbc-interrupt.no-grace", "cbc-interrupt", func(o *mapping.Options) { o.Grace = 0 }},
		golden{"cbc-interrupt-late.grace", "cbc-interrupt-late", func(o *mapping.Options) { o.Grace = 10 * time.Second }},
	)
}

func (g golden) options() mapping.Options {
	o := mapping.Options{ParentMode: "child", Grace: 5 * time.Second, AgentNames: "label", ErrorText: "text", Origin: origin}
	if !slices.Contains(handWritten, g.name) { // those are about what the mapper itself makes
		o.Settled = insight.Annotate
	}
	if g.change != nil {
		g.change(&o)
	}
	return o
}

func (g golden) header(o mapping.Options, s mapping.Stats) string {
	on := func(b bool) string {
		if b {
			return "on"
		}
		return "off"
	}
	parent := "none"
	if o.Parent != (mapping.SpanContext{}) {
		parent = fmt.Sprintf("%x/%x", o.Parent.TraceID, o.Parent.SpanID)
	}
	return fmt.Sprintf("# stream  %s\n# options origin=%s grace=%s parent=%s inbound=%s content=%s agent-names=%s error-text=%s\n"+
		"# counted workflows=%d phases=%d agents=%d late=%d\n\n",
		g.stream, o.Origin.Format(time.RFC3339), o.Grace, o.ParentMode, parent, on(o.Content), o.AgentNames, o.ErrorText,
		s.Workflows, s.Phases, s.Agents, s.Late)
}

// streams names all streams there are: the recorded ones and those of this package.
func streams(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, c := range testdata.Captures() {
		all = append(all, c.Name)
	}
	files, err := filepath.Glob("testdata/streams/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no streams in testdata: %v", err)
	}
	for _, f := range files {
		all = append(all, strings.TrimSuffix(filepath.Base(f), ".ndjson"))
	}
	slices.Sort(all)
	return all
}

// read returns a stream's bytes by its name.
func read(t *testing.T, stream string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/streams/" + stream + ".ndjson")
	if os.IsNotExist(err) {
		var c testdata.Capture
		if c, err = testdata.Find(stream); err == nil {
			b, err = c.Bytes()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}
