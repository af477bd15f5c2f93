// Package replay makes span trees of recorded streams. It has no clock and no goroutine: the same
// bytes give the same trees.
package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"time"

	"cbc-otel/internal/stream"
	"cbc-otel/mapping"
)

// Options say what to make of a stream. Mapping.Origin should be the file's modification time, which
// stands for the times a stream does not tell itself.
type Options struct {
	Mapping mapping.Options
	OnTree  func(mapping.Tree) // called for each settled workflow, in the order they are settled
}

// Stats says what a stream held.
type Stats struct {
	stream.Counts
	Mapping mapping.Stats
}

// readSize is what is read at once: enough that a long line comes in few pieces.
const readSize = 256 << 10

// Run replays one recorded stream, plain or packed with gzip. When reading fails the workflows seen so
// far are settled all the same, and the error is returned with the stats.
func Run(r io.Reader, o Options) (Stats, error) {
	p := player{mapper: mapping.New(o.Mapping), onTree: o.OnTree}
	err := p.read(r)
	p.splitter.Flush(time.Time{}, p.line)
	p.trees(p.mapper.Close(mapping.End{}))
	p.stats.Add(p.splitter.Stats())
	p.stats.Mapping = p.mapper.Stats()
	return p.stats, err
}

type player struct {
	splitter stream.Splitter
	decoder  stream.Decoder
	mapper   *mapping.Mapper
	onTree   func(mapping.Tree)
	stats    Stats
}

func (p *player) read(r io.Reader) error {
	r, err := unpacked(r)
	if err != nil {
		return err
	}
	buf := make([]byte, readSize)
	for {
		n, err := r.Read(buf)
		p.splitter.Write(buf[:n], time.Time{}, p.line)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading the stream: %w", err)
		}
	}
}

// unpacked returns what r holds, unpacked if it starts as a gzip file does.
func unpacked(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	if head, _ := b.Peek(2); !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return b, nil // also when reading fails: the next read says so
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("unpacking the stream: %w", err)
	}
	return z, nil
}

func (p *player) line(line []byte, _ time.Time) {
	matters := stream.MayMatter(line)
	if !matters && !stream.HasTimestamp(line) {
		return
	}
	e, verdict := p.decoder.Decode(line)
	if matters {
		p.stats.Verdict(verdict)
	}
	if e.Kind != 0 || !e.Timestamp.IsZero() {
		p.trees(p.mapper.Observe(e))
	}
}

func (p *player) trees(trees []mapping.Tree) {
	for _, t := range trees {
		if p.onTree != nil {
			p.onTree(t)
		}
	}
}
