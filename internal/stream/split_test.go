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

// cutMatching does the same with WriteMatching, and drops a last line that does not match, as that is
// the caller's to do.
func cutMatching(s *Splitter, pieces ...string) []string {
	var lines []string
	yield := func(line []byte, _ time.Time) {
		if MayMatter(line) {
			lines = append(lines, string(line))
		}
	}
	for _, p := range pieces {
		s.WriteMatching([]byte(p), time.Time{}, yield)
	}
	s.Flush(time.Time{}, yield)
	return lines
}

// matching is the lines that may matter.
func matching(lines []string) (some []string) {
	for _, l := range lines {
		if MayMatter([]byte(l)) {
			some = append(some, l)
		}
	}
	return some
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
			s = Splitter{}
			if got := cutMatching(&s, tt.pieces...); len(got) > 0 {
				t.Errorf("%d lines are said to match", len(got))
			}
			if s.Stats() != want {
				t.Errorf("stats of WriteMatching %+v, want %+v", s.Stats(), want)
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
	for name, write := range map[string]func(*Splitter, []byte, Yield){
		"all":      func(s *Splitter, p []byte, y Yield) { s.Write(p, time.Time{}, y) },
		"matching": func(s *Splitter, p []byte, y Yield) { s.WriteMatching(p, time.Time{}, y) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s Splitter
			chunk := bytes.Repeat([]byte("x"), 100<<10)
			none := func([]byte, time.Time) { t.Error("a line of 100 MB was yielded") }
			for range 1000 {
				write(&s, chunk, none)
				held := cap(s.partial.buf)
				for _, m := range append(s.partial.more, s.partial.free...) {
					held += cap(m)
				}
				if held > MaxLine+segment {
					t.Fatalf("holds %d bytes", held)
				}
			}
			write(&s, []byte("\n"), none)
			var got []string
			write(&s, []byte(marked("b")+"\n"), func(line []byte, _ time.Time) { got = append(got, string(line)) })
			if len(got) != 1 || got[0] != marked("b") {
				t.Errorf("the line after it is %q", got)
			}
		})
	}
}

// marked is a line that may matter.
func marked(text string) string { return `{"subtype":"task_x","text":"` + text + `"}` }

// A line may come in pieces of any size; its marker may be cut anywhere.
func TestSplitterMarkerInPieces(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"subtype":       marked("x"),
		"result":        `{"tool_use_result":{"runId":"wf"}}`,
		"escape":        `{"\u0074ype":1}`,
		"at the end":    strings.Repeat(" ", 100) + marked(""),
		"after a tab":   "\t \r" + marked(""),
		"in the middle": strings.Repeat(" ", 100) + marked(strings.Repeat("x", 100)),
	} {
		for n := 1; n <= len(line); n++ {
			var pieces []string
			for rest := "no\n" + line + "\nno\n" + line; rest != ""; rest = rest[min(n, len(rest)):] {
				pieces = append(pieces, rest[:min(n, len(rest))])
			}
			var s Splitter
			if got := cutMatching(&s, pieces...); !cmp.Equal(got, []string{line, line}) {
				t.Errorf("%s in pieces of %d: got %q", name, n, got)
			}
			if s.Stats().Lines != 4 {
				t.Errorf("%s in pieces of %d: %d lines", name, n, s.Stats().Lines)
			}
		}
	}
}

func TestSplitterLongLines(t *testing.T) {
	t.Parallel()
	for _, size := range []int{segment - 1, segment, segment + 1, 3*segment + 7, MaxLine} {
		body := marked(strings.Repeat("x", size-len(marked(""))))
		if len(body) != size {
			t.Fatalf("%d bytes, want %d", len(body), size)
		}
		for _, n := range []int{50_000, 3 * segment} {
			var pieces []string
			for rest := "a\n" + body + "\n" + body; rest != ""; rest = rest[min(n, len(rest)):] {
				pieces = append(pieces, rest[:min(n, len(rest))])
			}
			var s, m Splitter
			if got := cut(&s, pieces...); len(got) != 3 || got[1] != body || got[2] != body {
				t.Errorf("a line of %d bytes in pieces of %d is not whole", size, n)
			}
			if got := cutMatching(&m, pieces...); len(got) != 2 || got[0] != body || got[1] != body {
				t.Errorf("matching: a line of %d bytes in pieces of %d is not whole", size, n)
			}
		}
	}
}

func TestSplitterTake(t *testing.T) {
	t.Parallel()
	var s Splitter
	var taken [][]byte
	yield := func(line []byte, _ time.Time) {
		if got := s.Take(func() []byte { return make([]byte, 3, 100) }); got != nil {
			if &got[0] != &line[0] || len(got) != len(line) {
				t.Errorf("took %q while %q was yielded", got, line)
			}
			taken = append(taken, got)
		}
	}
	for _, p := range []string{"whole\nfir", "st\nwhole\nsec", "ond\nthi", "rd"} {
		s.Write([]byte(p), time.Time{}, yield)
	}
	s.Flush(time.Time{}, yield)
	if got := string(bytes.Join(taken, []byte(" "))); got != "first second third" {
		t.Errorf("took %q", got)
	}
	if got := s.Take(func() []byte { t.Error("asks for a buffer it cannot use"); return nil }); got != nil {
		t.Errorf("took %q while nothing was yielded", got)
	}
}

func TestSplitterAllocatesNothingForWholeLines(t *testing.T) {
	var s Splitter
	p := []byte(strings.Repeat("some text\n"+marked("x")+"\n", 100))
	yield := func([]byte, time.Time) {}
	if n := testing.AllocsPerRun(10, func() { s.Write(p, time.Time{}, yield); s.WriteMatching(p, time.Time{}, yield) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzSplitter(f *testing.F) {
	f.Add([]byte("a\nbb\n\r\n\nccc"), uint64(1))
	f.Add([]byte("\n\n"), uint64(2))
	f.Add([]byte("\x00\xff\n{\"type\":\"system\"}\n"), uint64(3))
	f.Add([]byte("a\n"+marked("x")+"\nb\n\n{\"\\u0074ype\"}\nb\"tool_use_result\"runId\""), uint64(4))
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
		var m Splitter
		if got, want := cutMatching(&m, pieces...), matching(want); !cmp.Equal(got, want) {
			t.Errorf("%q in pieces %q gives matching %q, want %q", stream, pieces, got, want)
		}
		if m.stats != s.stats {
			t.Errorf("stats of WriteMatching %+v, want %+v", m.stats, s.stats)
		}
	})
}
