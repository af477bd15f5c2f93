package stream

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// cut writes a stream in the given pieces and returns its lines.
func cut(s *Splitter, pieces ...string) []string {
	var lines []string
	yield := func(line []byte, _ time.Time) { lines = append(lines, string(line)) }
	for _, p := range pieces {
		s.Write([]byte(p), time.Time{}, yield)
	}
	s.Flush(time.Time{}, yield)
	return lines
}

func TestSplitter(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("x", MaxLine)
	for name, tt := range map[string]struct {
		pieces []string
		want   []string
		over   int64
	}{
		"empty":                       {},
		"one line":                    {pieces: []string{"a\n"}, want: []string{"a"}},
		"no final newline":            {pieces: []string{"a\nb"}, want: []string{"a", "b"}},
		"empty lines":                 {pieces: []string{"\n\na\n\n"}, want: []string{"", "", "a", ""}},
		"carriage returns stay":       {pieces: []string{"a\r\nb\r\n"}, want: []string{"a\r", "b\r"}},
		"NUL and bad UTF-8":           {pieces: []string{"a\x00\xff\n"}, want: []string{"a\x00\xff"}},
		"in pieces":                   {pieces: []string{"ab", "", "c", "\nd", "\n"}, want: []string{"abc", "d"}},
		"a newline alone":             {pieces: []string{"ab", "\n", "c"}, want: []string{"ab", "c"}},
		"one under the limit":         {pieces: []string{full[1:] + "\nb\n"}, want: []string{full[1:], "b"}},
		"at the limit":                {pieces: []string{full + "\nb\n"}, want: []string{full, "b"}},
		"over the limit":              {pieces: []string{full + "x\nb\n"}, want: []string{"b"}, over: 1},
		"at the limit, in pieces":     {pieces: []string{full[:9], full[9:], "\nb\n"}, want: []string{full, "b"}},
		"over the limit, in pieces":   {pieces: []string{full[:9], full[9:], "x\nb\n"}, want: []string{"b"}, over: 1},
		"over the limit, last":        {pieces: []string{"a\n", full, "x"}, want: []string{"a"}, over: 1},
		"over by the last piece":      {pieces: []string{full[:9], full[9:] + "x\nb"}, want: []string{"b"}, over: 1},
		"two over the limit":          {pieces: []string{full, "x", "x", "x\nb\n" + full, "x\n", "c\n"}, want: []string{"b", "c"}, over: 2},
		"twice the limit in one line": {pieces: []string{full + full, full, "\na\n"}, want: []string{"a"}, over: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s Splitter
			got := cut(&s, tt.pieces...)
			if !cmp.Equal(got, tt.want) {
				t.Errorf("%d lines %.40q, want %d lines %.40q", len(got), got, len(tt.want), tt.want)
			}
			want := SplitStats{Bytes: int64(len(strings.Join(tt.pieces, ""))), Lines: int64(len(tt.want)) + tt.over, Oversize: tt.over}
			if s.Stats() != want {
				t.Errorf("stats %+v, want %+v", s.Stats(), want)
			}
		})
	}
}

// A line was received when its end was.
func TestSplitterTimes(t *testing.T) {
	t.Parallel()
	var s Splitter
	got := map[string]time.Time{}
	yield := func(line []byte, at time.Time) { got[string(line)] = at }
	t1, t2, t3 := time.Unix(1, 0), time.Unix(2, 0), time.Unix(3, 0)
	s.Write([]byte("a\nb"), t1, yield)
	s.Write([]byte("b\nc"), t2, yield)
	s.Flush(t3, yield)
	if want := map[string]time.Time{"a": t1, "bb": t2, "c": t3}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSplitterHoldsNoMoreThanALine(t *testing.T) {
	t.Parallel()
	var s Splitter
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	none := func([]byte, time.Time) { t.Error("a line of 100 MiB was yielded") }
	for range 100 {
		s.Write(chunk, time.Time{}, none)
		if cap(s.partial) > 2*MaxLine {
			t.Fatalf("holds %d bytes", cap(s.partial))
		}
	}
	if s.partial != nil {
		t.Errorf("holds %d bytes of a line that is left out", cap(s.partial))
	}
	s.Write([]byte("\n"), time.Time{}, none)
	if got := cut(&s, "b\n"); len(got) != 1 || got[0] != "b" {
		t.Errorf("the line after it is %q", got)
	}
}

func FuzzSplitter(f *testing.F) {
	f.Add([]byte("a\nbb\n\r\n\nccc"), uint64(1))
	f.Add([]byte("\n\n"), uint64(2))
	f.Add([]byte("\x00\xff\n{\"type\":\"system\"}\n"), uint64(3))
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		want := strings.Split(string(stream), "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		r := rand.New(rand.NewPCG(seed, 0))
		var pieces []string
		for rest := string(stream); rest != ""; {
			n := 1 + r.IntN(min(len(rest), 8))
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		var s Splitter
		got := cut(&s, pieces...)
		if len(got) != len(want) {
			t.Fatalf("%q in pieces %q gives %d lines, want %d", stream, pieces, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("line %d is %q, want %q", i, got[i], want[i])
			}
		}
		if s.stats.Lines != int64(len(want)) || s.stats.Bytes != int64(len(stream)) {
			t.Errorf("stats %+v for %d lines, %d bytes", s.stats, len(want), len(stream))
		}
	})
}
