package native

import (
	"os"
	"testing"

	"cbc-otel/mapping"
)

// Whatever is sent: no panic, every span in one class, every tree with its parents first and nothing twice.
func FuzzReceive(f *testing.F) {
	data, err := os.ReadFile("testdata/fuzz-seed.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, asJSON, "", true)
	f.Add(data, asJSON, "", false)
	f.Add([]byte("\x0a\x00"), asProtobuf, "", true)
	f.Add(packed([]byte("{}")), asJSON, "gzip", false)
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"com.anthropic.claude_code"},"spans":[{"traceId":"09000000000000000000000000000000","spanId":"0901000000000000","parentSpanId":"0901000000000000","attributes":[{"key":"agent_id","value":{"stringValue":"a1"}}]}]}]}]}`), asJSON, "", true)
	f.Fuzz(func(t *testing.T, body []byte, contentType, encoding string, traces bool) {
		signal := Logs
		if traces {
			signal = Traces
		}
		p, err := decode(signal, contentType, encoding, body)
		if err != nil {
			return
		}
		_ = p.origin()
		s := NewStore(StoreOptions{})
		s.add(p)
		s.add(p)
		all := []mapping.Tree{s.Merge(workflow("wf_1", []string{"a1"}, []string{"a2"}))}
		all = append(all, s.Apart(false)...)
		s.add(p)
		all = append(all, s.Apart(true)...)
		for _, tree := range all {
			parentsFirst(t, tree)
		}
		c := s.Counts()
		if sum := c.Merged + c.Late + c.Apart + c.Unmatched + c.Duplicates + c.Dropped; sum != c.Spans {
			t.Errorf("counts do not add up: %+v", c)
		}
	})
}
