package traces_test

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"cbc-otel/internal/spantree"
	"cbc-otel/internal/testdata"
	"cbc-otel/internal/traces"
	"cbc-otel/mapping"
)

// What is written to a file is read back as it was, whatever the stream.
func TestEveryCaptureThereAndBack(t *testing.T) {
	t.Parallel()
	for _, c := range testdata.Captures() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			trees := workflows(t, c.Name)
			if len(trees) == 0 {
				t.Skip("no workflow in it")
			}
			path := filepath.Join(t.TempDir(), "t.jsonl")
			export(t, path, "", 7, trees...)
			o, told := reading()
			got, err := traces.ReadFile(path, o)
			must(t, err)
			if len(got) != len(trees) || len(*told) > 0 {
				t.Fatalf("%d traces of %d, told %q", len(got), len(trees), *told)
			}
			for i, tr := range got {
				want, is := spantree.Options{}.String(plain(trees[i])), spantree.Options{}.String(tr.Tree)
				if want != is {
					t.Errorf("read\n%s\nwritten\n%s", is, want)
				}
				if s := tr.Summary(); s.Command != "claude" || s.Path != path || tr.ID != trees[i].Spans[0].TraceID {
					t.Errorf("%+v", s)
				}
			}
		})
	}
}

// A recorded stream gives what its replay gives, packed or not, and its workflows go through the filter.
func TestStreams(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"06-two-concurrent", "11-150-agents"} {
		c, err := testdata.Find(name)
		must(t, err)
		path, err := c.Path()
		must(t, err)
		o, told := reading()
		got, err := traces.ReadFile(path, o)
		must(t, err)
		var trees []mapping.Tree
		for _, tr := range got {
			trees = append(trees, tr.Tree)
		}
		if !reflect.DeepEqual(trees, workflows(t, name)) || len(*told) > 0 {
			t.Errorf("%s: %d traces, told %q", name, len(got), *told)
		}
		o.Filter = func(tr mapping.Tree) mapping.Tree { tr.Spans = nil; return tr }
		if got, err := traces.ReadFile(path, o); err != nil || len(got) != 0 {
			t.Errorf("%s: %d traces, %v", name, len(got), err)
		}
	}
}

func TestWhatCannotBeReadIsPassedOver(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.jsonl")
	tree := workflows(t, "01-success")[0]
	export(t, path, "", 4, tree)
	whole := lines(t, path) // root, Gather and two agents; the third, Review and its two; Write and its one
	all := len(tree.Spans)
	for _, c := range []struct {
		name  string
		lines []string
		spans int // of the workflow, -1 without one
		told  []string
	}{
		{"all of it", whole, all, nil},
		{"empty lines", []string{"", whole[0], " \t", whole[1], whole[2], "", ""}, all, nil},
		{"twice", append(append([]string{}, whole...), whole...), all, nil},
		{"another order", []string{whole[2], whole[1], whole[0]}, all, nil},
		{"torn at the start", []string{`ta":"x"}]}]}`, whole[0], whole[1], whole[2]}, all, []string{"t.jsonl:1: not OTLP JSON: invalid character 'a' in literal true (expecting 'r')"}},
		{"torn at the end", []string{whole[0], whole[1], whole[2], whole[2][:99]}, all, []string{"t.jsonl:4: not OTLP JSON: unexpected end of JSON input"}},
		{"other things", []string{`{"resourceLogs":[]}`, `{"resourceMetrics":[{}]}`, `{"resourceSpans":[]}`, whole[0], whole[1], whole[2], `null`, `{}`, `[]`}, all,
			[]string{"t.jsonl:9: not OTLP JSON: json: cannot unmarshal array into Go value of type traces.tracesData"}},
		{"a phase is gone, its agents are not", []string{whole[0], whole[2]}, all - 4, nil},
		{"the workflow is gone", []string{whole[1], whole[2]}, -1, []string{"t.jsonl: 6 spans belong to no workflow in it"}},
		{"no ids", []string{strings.Replace(whole[0], `"spanId":"`, `"spanId":"0`, 1), whole[1], whole[2]}, -1,
			[]string{"t.jsonl:1: spanId: an id of 17 digits, not 16", "t.jsonl: 9 spans belong to no workflow in it"}},
		{"bad times", []string{whole[0], strings.Replace(whole[1], `"startTimeUnixNano":"`, `"startTimeUnixNano":"-`, 1), whole[2]}, all - 1, []string{`t.jsonl:2: startTimeUnixNano: strconv.ParseUint: parsing "-` + start(whole[1]) + `": invalid syntax`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o, told := reading()
			got, err := traces.ReadFile(write(t, c.lines...), o)
			must(t, err)
			spans := -1
			if len(got) > 0 {
				spans = len(got[0].Tree.Spans)
			}
			if len(got) > 1 || spans != c.spans || !reflect.DeepEqual(*told, c.told) {
				t.Errorf("%d traces, %d spans, told %q", len(got), spans, *told)
			}
			if len(got) > 0 {
				parentsFirst(t, got[0].Tree)
			}
		})
	}
}

func start(line string) string {
	_, rest, _ := strings.Cut(line, `"startTimeUnixNano":"`)
	digits, _, _ := strings.Cut(rest, `"`)
	return digits
}

func parentsFirst(t *testing.T, tree mapping.Tree) {
	t.Helper()
	seen := map[mapping.SpanID]bool{}
	for i, s := range tree.Spans {
		if i > 0 && !seen[s.ParentID] {
			t.Errorf("the parent of span %d, %q, is not before it", i, s.Name)
		}
		seen[s.SpanID] = true
	}
}

// Other writers have numbers where we have strings, other kinds of values, and spans of their own.
func TestOtherWriters(t *testing.T) {
	t.Parallel()
	path := write(t, `{ "resourceSpans": [{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"x"}}]},"scopeSpans":[{"spans":[
{"traceId":"000102030405060708090A0B0C0D0E0F","spanId":"0000000000000001","parentSpanId":"","name":"invoke_workflow a","startTimeUnixNano":1000000000,"endTimeUnixNano":99999999999999999999},
{"traceId":"000102030405060708090a0b0c0d0e0f","spanId":"0000000000000002","parentSpanId":"0000000000000001","name":"invoke_agent b","startTimeUnixNano":"5000000000","endTimeUnixNano":"4000000000","status":{"code":"STATUS_CODE_ERROR","message":"m"},"unknown":{},
 "attributes":[{"key":"n","value":{"intValue":7}},{"key":"d","value":{"doubleValue":1.5}},{"key":"nan","value":{"doubleValue":"NaN"}},{"key":"big","value":{"intValue":"99999999999999999999"}},
  {"key":"list","value":{"arrayValue":{"values":[{"stringValue":"s"},{"intValue":"2"}]}}},{"key":"map","value":{"kvlistValue":{"values":[]}}},{"key":"none","value":{}},{"key":"bytes","value":{"bytesValue":"AAE="}}]},
{"traceId":"000102030405060708090a0b0c0d0e0f","spanId":"0000000000000003","parentSpanId":"0000000000000002","name":"chat m","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}]},
{"traceId":"000102030405060708090a0b0c0d0e0f","spanId":"0000000000000004","parentSpanId":"0000000000000005","name":"loop"},
{"traceId":"000102030405060708090a0b0c0d0e0f","spanId":"0000000000000005","parentSpanId":"0000000000000004","name":"loop"}
]}]}]}`)
	joined := strings.ReplaceAll(strings.Join(lines(t, path), ""), "99999999999999999999}", "9999999999999999999}")
	o, told := reading()
	got, err := traces.ReadFile(write(t, joined), o)
	must(t, err)
	if len(got) != 1 || len(got[0].Tree.Spans) != 3 || len(*told) != 1 || !strings.HasSuffix((*told)[0], "2 spans belong to no workflow in it") {
		t.Fatalf("%+v, told %q", got, *told)
	}
	agent, request := got[0].Tree.Spans[1], got[0].Tree.Spans[2]
	if agent.Kind != mapping.AgentSpan || request.Kind != traces.RequestSpan || !agent.Start.Equal(agent.End) || agent.Status != (mapping.Status{Error: true, Description: "m"}) {
		t.Errorf("%+v", agent)
	}
	want := []mapping.Attribute{{Key: "n", Value: int64(7)}, {Key: "d", Value: 1.5}, {Key: "nan", Value: "NaN"}, {Key: "big", Value: "99999999999999999999"},
		{Key: "list", Value: []string{"s", "2"}}, {Key: "map", Value: `{"values":[]}`}, {Key: "bytes", Value: "AAE="}}
	if !reflect.DeepEqual(agent.Attributes, want) {
		t.Errorf("attributes %+v", agent.Attributes)
	}
}

func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := traces.ReadFile(dir, traces.Options{}); err == nil || err.Error() != dir+" is a folder" {
		t.Errorf("%v", err)
	}
	if _, err := traces.ReadFile(filepath.Join(dir, "no"), traces.Options{}); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
	packed := filepath.Join(dir, "torn.gz")
	f, err := os.Create(packed)
	must(t, err)
	z := gzip.NewWriter(f)
	_, err = z.Write([]byte(strings.Repeat("x", 1<<16)))
	must(t, err)
	must(t, z.Flush())
	must(t, f.Close())
	if _, err := traces.ReadFile(packed, traces.Options{}); err == nil || !strings.HasPrefix(err.Error(), packed+": ") {
		t.Errorf("%v", err)
	}
	if got, err := traces.ReadFile(write(t, ""), traces.Options{}); err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000001","spanId":"0000000000000001","name":"invoke_workflow"}]}]}]}`))
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000001","spanId":"0000000000000001","parentSpanId":"0000000000000001","name":"phase"}]}]}]}` + "\n{"))
	f.Add([]byte(`{"type":"system","subtype":"task_started","task_id":"w1","task_type":"local_workflow"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, _ := traces.Read(strings.NewReader(string(data)), "x", modified, traces.Options{})
		for _, tr := range got {
			parentsFirst(t, tr.Tree)
			_ = tr.Summary()
			_ = tr.Key()
		}
	})
}
