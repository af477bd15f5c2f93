package native

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"cbc-otel/internal/replay"
	"cbc-otel/mapping"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recording is one run of a real CLI against a model that served known numbers of tokens.
type recording struct {
	name   string
	bodies []body
	trees  []mapping.Tree
	served map[string]served // by agent id; "main" is the main loop
}

type body struct {
	Signal Signal          `json:"signal"`
	Body   json.RawMessage `json:"body"`
}

type served struct{ Requests, Input, Output int64 }

// recordings are those of runs with workflows.
func recordings(t testing.TB) (names []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.served.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".served.json"))
	}
	return names
}

func load(t testing.TB, name string) recording {
	t.Helper()
	r := recording{name: name, bodies: bodies(t, name)}
	data, err := os.ReadFile("testdata/" + name + ".served.json")
	check(t, err)
	check(t, json.Unmarshal(data, &r.served))
	f, err := os.Open("testdata/" + name + ".stream.ndjson.gz")
	check(t, err)
	defer f.Close() //nolint:errcheck // only read
	_, err = replay.Run(f, replay.Options{OnTree: func(tree mapping.Tree) { r.trees = append(r.trees, tree) }})
	check(t, err)
	return r
}

func bodies(t testing.TB, name string) (all []body) {
	t.Helper()
	f, err := os.Open("testdata/" + name + ".native.jsonl.gz")
	check(t, err)
	defer f.Close() //nolint:errcheck // only read
	z, err := gzip.NewReader(f)
	check(t, err)
	lines := bufio.NewReader(z)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return all
		}
		check(t, err)
		var b body
		check(t, json.Unmarshal(line, &b))
		all = append(all, b)
	}
}

// protobuf is the body as the CLI sends it by default.
func (b body) protobuf(t testing.TB) []byte {
	t.Helper()
	p, err := decode(b.Signal, "application/json", "", b.Body)
	check(t, err)
	var out []byte
	if p.traces != nil {
		out, err = proto.Marshal(p.traces)
	} else {
		out, err = proto.Marshal(p.logs)
	}
	check(t, err)
	return out
}

func packed(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data)
	_ = z.Close()
	return b.Bytes()
}

// fill puts a recording into a store.
func fill(t testing.TB, s *Store, all []body) {
	t.Helper()
	for _, b := range all {
		p, err := decode(b.Signal, "application/json", "", b.Body)
		check(t, err)
		s.add(p)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
