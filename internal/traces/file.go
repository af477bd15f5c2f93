package traces

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"cbc-otel/internal/replay"
	"cbc-otel/mapping"
)

// maxLine bounds a line of OTLP JSON. Ours hold at most 2 MiB of spans.
const maxLine = 64 << 20

// headSize is how far a file is looked into to tell what it is.
const headSize = 64 << 10

// ReadFile reads the workflows in a file of OTLP JSON lines or a recorded stream, each plain or packed with gzip, in
// the order of the file. The error is that the file could not be read, or not to its end; what was read before is
// returned with it.
func ReadFile(path string, o Options) ([]Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder", path)
	}
	return Read(f, path, info.ModTime(), o)
}

// Read is ReadFile for a reader. The name is that of the file in the traces and reports; modified stands for the
// times that a recorded stream does not tell.
func Read(r io.Reader, name string, modified time.Time, o Options) ([]Trace, error) {
	in := bufio.NewReaderSize(r, headSize)
	if head, _ := in.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		in = bufio.NewReaderSize(z, headSize)
	}
	head, _ := in.Peek(headSize)
	if isOTLP(head) {
		return readOTLP(in, name, o)
	}
	return readStream(in, name, modified, o)
}

// isOTLP tells OTLP JSON lines from a stream, also if the first of them was torn.
func isOTLP(head []byte) bool {
	for line := range bytes.Lines(head) {
		rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("{"))
		if ok && bytes.HasPrefix(bytes.TrimSpace(rest), []byte(`"resource`)) { // Spans, or Logs and Metrics beside them
			return true
		}
	}
	return false
}

func readStream(in io.Reader, name string, modified time.Time, o Options) ([]Trace, error) {
	if o.Mapping.Origin.IsZero() {
		o.Mapping.Origin = modified
	}
	var all []Trace
	stats, err := replay.Run(in, replay.Options{Mapping: o.Mapping, OnTree: func(t mapping.Tree) {
		if o.Filter != nil {
			t = o.Filter(t)
		}
		if len(t.Spans) > 0 {
			all = append(all, Trace{ID: t.Spans[0].TraceID, Tree: t, Path: name})
		}
	}})
	if n := stats.Unparsable + stats.Oversize; n > 0 {
		o.report(name, 0, fmt.Errorf("%d lines could not be read", n))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return all, err
}

func readOTLP(in *bufio.Reader, name string, o Options) ([]Trace, error) {
	var spans []read
	var failed error
	for n := 1; ; n++ {
		line, err := nextLine(in)
		if errors.Is(err, errTooLong) {
			o.report(name, n, err)
			continue
		}
		if len(bytes.TrimSpace(line)) > 0 {
			some, bad := decodeLine(line)
			if bad != nil {
				o.report(name, n, bad)
			}
			spans = append(spans, some...)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			failed = fmt.Errorf("%s: %w", name, err)
			break
		}
	}
	all, err := assemble(spans, name)
	if err != nil {
		o.report(name, 0, err)
	}
	return all, failed
}

var errTooLong = errors.New("a line of more than 64 MiB")

// nextLine returns the next line, which is valid until the next call. The last one comes with the error io.EOF.
func nextLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	long := bytes.Clone(line)
	for tooLong := false; ; {
		line, err = in.ReadSlice('\n')
		if tooLong = tooLong || len(long)+len(line) > maxLine; !tooLong {
			long = append(long, line...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong && err == nil:
			return nil, errTooLong
		default:
			return long, err
		}
	}
}
