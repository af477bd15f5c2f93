package examples

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
)

// The numbers in the table of collector-gateway/README.md are those of the program: spans and bytes of a run under
// the variables of a CI job, plain and gzipped.
func TestCost(t *testing.T) {
	t.Parallel()
	page := read(t, "collector-gateway/README.md")
	for name, capture := range map[string]string{"6 agents": "01-success", "150 agents": "11-150-agents"} {
		m := newMachine(t, "claude", capture)
		for line := range strings.Lines(read(t, "../internal/cicontext/testdata/github-actions.env")) {
			m.env = append(m.env, strings.TrimSpace(line))
		}
		m.sh("cbc-otel -- claude --output-format stream-json")
		size, zipped := 0, 0
		for _, r := range m.receiver.Requests() {
			size += r.Size
			data, err := proto.Marshal(r.Data)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, _ = w.Write(data)
			_ = w.Close()
			zipped += b.Len()
		}
		spans := len(m.receiver.Spans())
		row := regexp.MustCompile(`\| ` + name + ` \| (\d+) \| ([\d.]+) KB \| ([\d.]+) KB \|`).FindStringSubmatch(page)
		if row == nil {
			t.Errorf("no row for %s: %d spans, %d bytes, %d gzipped", name, spans, size, zipped)
			continue
		}
		var wantSize, wantZipped float64
		_, _ = fmt.Sscan(row[2], &wantSize)
		_, _ = fmt.Sscan(row[3], &wantZipped)
		if row[1] != fmt.Sprint(spans) || off(float64(size)/1e3, wantSize) || off(float64(zipped)/1e3, wantZipped) {
			t.Errorf("%s: %d spans, %d bytes, %d gzipped; the page says %v", name, spans, size, zipped, row[1:])
		}
	}
}

// off allows for names of machines and the like.
func off(got, want float64) bool { return got < want*0.8 || got > want*1.25 }
