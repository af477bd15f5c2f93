package replay

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"cbc-otel/internal/stream"
	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

func run(t *testing.T, r io.Reader) ([]mapping.Tree, Stats) {
	t.Helper()
	var trees []mapping.Tree
	stats, err := Run(r, Options{
		Mapping: mapping.Options{Grace: 5 * time.Second, Origin: time.Date(2026, 12, 2, 0, 0, 0, 0, time.UTC)},
		OnTree:  func(t mapping.Tree) { trees = append(trees, t) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return trees, stats
}

// However a stream is packed or cut, its trees and counts are the same.
func TestSameTreesHoweverRead(t *testing.T) {
	t.Parallel()
	for _, c := range testdata.Captures() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			all, err := c.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			want, wantStats := run(t, bytes.NewReader(all))
			if len(want) == 0 && c.Name != "26-compile-error" {
				t.Fatal("no tree")
			}
			if wantStats.Bytes != int64(len(all)) || wantStats.Lines != int64(bytes.Count(all, []byte("\n"))) || wantStats.Events == 0 {
				t.Errorf("stats %+v of %d bytes", wantStats, len(all))
			}
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			z.Write(all)
			z.Close()
			for name, r := range map[string]io.Reader{
				"packed":             &packed,
				"in small pieces":    &pieces{all, 1000},
				"no final newline":   bytes.NewReader(bytes.TrimSuffix(all, []byte("\n"))),
				"lines end with CR":  bytes.NewReader(bytes.ReplaceAll(all, []byte("\n"), []byte("\r\n"))),
				"data with the EOF":  iotest.DataErrReader(bytes.NewReader(all)),
				"the same once more": bytes.NewReader(all),
			} {
				got, stats := run(t, r)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: trees differ (-want +got):\n%s", name, diff)
				}
				stats.Bytes = wantStats.Bytes // with or without newlines
				if stats != wantStats {
					t.Errorf("%s: stats %+v, want %+v", name, stats, wantStats)
				}
			}
		})
	}
}

// pieces is a reader that gives n bytes at most.
type pieces struct {
	rest []byte
	n    int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.n)], p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

const started = `{"type":"system","subtype":"task_started","task_id":"t1","task_type":"local_workflow","workflow_name":"w","session_id":"s"}` + "\n"

func TestReadingFails(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, started+strings.Repeat("x", 1<<20))
	z.Close()
	broken := errors.New("disk on fire")
	for name, tt := range map[string]struct {
		in    io.Reader
		trees int
		err   string
	}{
		"at once":            {iotest.ErrReader(broken), 0, "reading the stream: disk on fire"},
		"after a line":       {io.MultiReader(strings.NewReader(started), iotest.ErrReader(broken)), 1, "reading the stream: disk on fire"},
		"a bad gzip head":    {strings.NewReader("\x1f\x8bxxxxxxxxxxxxxxxx"), 0, "unpacking the stream: gzip: invalid header"},
		"a gzip file cut":    {bytes.NewReader(packed.Bytes()[:packed.Len()-9]), 1, "reading the stream: unexpected EOF"},
		"nothing is no fail": {strings.NewReader(""), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trees := 0
			_, err := Run(tt.in, Options{OnTree: func(mapping.Tree) { trees++ }})
			if got := errText(err); got != tt.err {
				t.Errorf("error %q, want %q", got, tt.err)
			}
			if trees != tt.trees {
				t.Errorf("%d trees, want %d", trees, tt.trees)
			}
		})
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCounts(t *testing.T) {
	t.Parallel()
	in := started +
		`{"type":"system","subtype":"task_started","task_id":` + "\n" + // cut off
		"some text\n\n" +
		`{"type":"assistant","subtype":"task_started","task_id":"t"}` + "\n" +
		`{"type":"assistant","__timestamp":"2026-12-01T21:33:19.784Z",` + "\n" + // no event, broken or not
		strings.Repeat("x", stream.MaxLine+1) + "\n" +
		`{"type":"system","subtype":"task_progress","task_id":"unknown"}`
	_, got := run(t, strings.NewReader(in))
	want := stream.Counts{Bytes: int64(len(in)), Lines: 8, Events: 2, Unparsable: 1, Oversize: 1}
	if got.Counts != want {
		t.Errorf("counts %+v, want %+v", got.Counts, want)
	}
}

// A stamp on a line that is no event tells when the lines after it were read at the earliest.
func TestAnyStampTellsTheTime(t *testing.T) {
	t.Parallel()
	in := `{"type":"system","subtype":"task_started","task_id":"t1","task_type":"local_workflow","__timestamp":"2026-12-01T10:00:00Z"}` + "\n" +
		`{"type":"assistant","message":{},"__timestamp":"2026-12-01T10:00:07Z"}` + "\n"
	trees, _ := run(t, strings.NewReader(in))
	if len(trees) != 1 {
		t.Fatalf("%d trees", len(trees))
	}
	if got := trees[0].Spans[0].End.UTC(); !got.Equal(time.Date(2026, 12, 1, 10, 0, 7, 0, time.UTC)) {
		t.Errorf("the workflow, left open, ends at %v, want that of the last stamp", got)
	}
}
