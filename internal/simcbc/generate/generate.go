// Package generate writes large streams as an agent CLI would, for benchmarks: small talk, huge tool
// results, workflows of up to a thousand agents with a full snapshot for each change. They are written
// as fast as the writer takes them, and each is a function of its seed, byte for byte.
package generate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"cbc-otel/internal/simcbc"
	"cbc-otel/internal/simcbc/wire"
)

// Version changes with the streams: a stream that was kept from another version is not the same.
const Version = 1

// Stream is a stream that can be generated. Its name tells what is in it.
type Stream struct {
	Name  string
	About string
	Write func(io.Writer) error
}

// Streams lists the streams of the benchmarks.
func Streams(seed uint64) []Stream {
	list := []Stream{
		{"talk", "small talk, 40,000 lines of about 1 KB", func(w io.Writer) error { return Talk(w, seed, 40_000) }},
		{"text", "plain text, not JSON, 200 MB", func(w io.Writer) error { return Text(w, seed, 200<<20) }},
		{"tool-results", "20 tool results of 10 MB", func(w io.Writer) error { return ToolResults(w, seed, 20, 10<<20) }},
		{"long-line", "a line of 100 MB, then a workflow", func(w io.Writer) error { return LongLine(w, seed, 100<<20) }},
	}
	for _, f := range []simcbc.Flavour{simcbc.CBC, simcbc.Claude} {
		for _, n := range []int{10, 100, 400, 1000} {
			list = append(list, workflows(f, n, 1, seed))
		}
		// As many bytes as one workflow of 1,000 agents, for the cost of a byte by the size of a workflow.
		list = append(list, workflows(f, 100, 70, seed))
	}
	return list
}

func workflows(f simcbc.Flavour, agents, repeat int, seed uint64) Stream {
	s := Stream{
		Name:  fmt.Sprintf("%s-%d", f, agents),
		About: fmt.Sprintf("a workflow of %d agents, %s flavour", agents, f),
		Write: func(w io.Writer) error {
			_, err := Workflows(w, Spec{Flavour: f, Agents: agents, Repeat: repeat, Seed: seed})
			return err
		},
	}
	if repeat > 1 {
		s.Name += fmt.Sprintf("x%d", repeat)
		s.About = fmt.Sprintf("%d workflows of %d agents, one after the other, %s flavour", repeat, agents, f)
	}
	return s
}

// writer is what all generators share. Errors of the writer show in flush.
type writer struct {
	*bufio.Writer
	rng     *rand.Rand
	now     time.Time
	flavour simcbc.Flavour
	session string
}

func newWriter(w io.Writer, f simcbc.Flavour, seed uint64) *writer {
	g := &writer{
		Writer: bufio.NewWriterSize(w, 256<<10), rng: rand.New(rand.NewPCG(seed, 1)), flavour: f,
		now: time.Date(2026, 12, 1, 21, 0, 0, 0, time.UTC),
	}
	g.session = g.uuid()
	return g
}

func (g *writer) pass(d time.Duration) { g.now = g.now.Add(d) }

// stamp is cbc's; Claude's system lines have none.
func (g *writer) stamp() wire.Stamp {
	if g.flavour == simcbc.Claude {
		return wire.Stamp{}
	}
	return wire.Stamp{Timestamp: g.now.Format(wire.StampLayout)}
}

func (g *writer) line(v any) { g.Write(wire.Encode(v)) }

// hole is a string that stands in a line for something large.
const hole = "@hole@"

// around splits the line of v, which has hole in it once as a string, into what is before and after it;
// the quotes around it go too.
func around(v any) (head, tail []byte) {
	head, tail, ok := bytes.Cut(wire.Encode(v), []byte(`"`+hole+`"`))
	if !ok {
		panic("generate: no hole in the line")
	}
	return head, tail
}

var quotedHole = json.RawMessage(`"` + hole + `"`)

func (g *writer) hex(n int) string {
	b := make([]byte, n)
	for i := 0; i < n; {
		for x, k := g.rng.Uint64(), 0; k < 16 && i < n; k++ {
			b[i] = "0123456789abcdef"[x&15]
			x >>= 4
			i++
		}
	}
	return string(b)
}

func (g *writer) uuid() string {
	h := g.hex(32)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
}
