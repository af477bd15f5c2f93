package progress

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"cbc-otel/internal/readable"
	"cbc-otel/internal/say"
	"cbc-otel/internal/stream"
	"cbc-otel/internal/testdata"
	"cbc-otel/mapping"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "rewrite the files in testdata")

var openEnd = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// screen is a reader that can be told to stop reading.
type screen struct {
	mu      sync.Mutex
	text    bytes.Buffer
	stalled bool
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) Ready() bool { s.mu.Lock(); defer s.mu.Unlock(); return !s.stalled }

func (s *screen) String() string { s.mu.Lock(); defer s.mu.Unlock(); return s.text.String() }

// still is a Progress whose clock stands still unless a test moves it.
func still(t *testing.T, mode string, out *screen) *Progress {
	t.Helper()
	p := Start(Options{
		Mode: mode, Log: say.New(out, say.Warn), OpenEnd: openEnd,
		Size: func() (int, int) { return 70, 24 },
		Now:  func() time.Time { return time.Date(2026, 12, 1, 21, 26, 30, 0, time.UTC) },
		Tick: func() (<-chan time.Time, func()) { return nil, func() {} },
	})
	t.Cleanup(p.Stop)
	return p
}

// play maps a recorded stream and calls news for each line that brings some.
func play(t *testing.T, capture string, p *Progress, news func()) {
	t.Helper()
	c, err := testdata.Find(capture)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := c.Lines()
	if err != nil {
		t.Fatal(err)
	}
	m := mapping.New(mapping.Options{Origin: time.Date(2026, 12, 1, 21, 26, 0, 0, time.UTC)})
	var d stream.Decoder
	for _, line := range lines {
		e, verdict := d.Decode(line)
		if verdict != stream.Decoded {
			continue
		}
		for _, tree := range m.Observe(e) {
			p.Settled(tree.Spans[0].SpanID, tree)
		}
		for _, id := range m.Open() {
			if tree, ok := m.Snapshot(id, openEnd); ok {
				p.Update(tree)
			}
		}
		news()
	}
	for _, tree := range m.Close(mapping.End{}) {
		p.Settled(tree.Spans[0].SpanID, tree)
	}
	news()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s; -update rewrites it (-want +got)\n%s", path, diff)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for _, capture := range []string{"01-success", "02-interrupt", "06-two-concurrent", "12-unicode", "16-sigterm"} {
		t.Run(capture, func(t *testing.T) {
			t.Parallel()
			out := &screen{}
			p := still(t, Plain, out)
			play(t, capture, p, p.show)
			golden(t, capture+".txt", out.String())
		})
	}
}

// What is seen on the terminal, picture by picture.
func TestTTY(t *testing.T) {
	t.Parallel()
	for _, capture := range []string{"01-success", "06-two-concurrent"} {
		t.Run(capture, func(t *testing.T) {
			t.Parallel()
			out := &screen{}
			p := still(t, TTY, out)
			var seen strings.Builder
			last := ""
			play(t, capture, p, func() {
				p.mu.Lock()
				picture := strings.Join(p.picture(70, 24), "\n")
				p.mu.Unlock()
				if picture != last {
					last = picture
					seen.WriteString(picture + "\n--\n")
				}
				p.show()
			})
			p.Stop()
			golden(t, capture+".tty.txt", seen.String())
			if text := out.String(); !strings.Contains(text, "\x1b7") || strings.LastIndex(text, "\x1b7") > strings.LastIndex(text, "\x1b[J") {
				t.Errorf("the picture is not taken away in the end: %q", text)
			}
		})
	}
}

// A thousand agents and a small terminal: no more lines than fit, none too wide.
func TestPictureFits(t *testing.T) {
	t.Parallel()
	out := &screen{}
	p := still(t, TTY, out)
	tree := mapping.Tree{Spans: []mapping.Span{{Kind: mapping.WorkflowSpan, SpanID: mapping.SpanID{1}, End: openEnd}}}
	for i := range 1000 {
		tree.Spans = append(tree.Spans, mapping.Span{
			Kind: mapping.AgentSpan, SpanID: mapping.SpanID{2, byte(i >> 8), byte(i)}, ParentID: mapping.SpanID{1}, End: openEnd,
			Attributes: []mapping.Attribute{{Key: mapping.KeyAgentName, Value: "検索エージェント 👩‍👩‍👧 with a long name"}, {Key: mapping.KeyAgentStarted, Value: i%2 == 0}},
		})
	}
	p.Update(tree)
	for _, size := range [][2]int{{0, 0}, {20, 5}, {70, 24}, {200, 100}, {1, 1}} {
		lines := p.picture(size[0], size[1])
		if len(lines) == 0 || len(lines) > maxPicture || size[1] > 0 && len(lines) > max(size[1]-3, 1) {
			t.Errorf("%v: %d lines", size, len(lines))
		}
		for _, line := range lines {
			if w := readable.Width(line); size[0] > 0 && w >= max(size[0], 1) && w > 0 {
				t.Errorf("%v: %d columns", size, w)
			}
		}
	}
}

// Nothing is printed where nothing happens, and nobody waits for a reader that does not read.
func TestSilentAndPatient(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{TTY, Plain} {
		out := &screen{}
		p := still(t, mode, out)
		p.show()
		p.Stop()
		p.Stop()
		if out.String() != "" {
			t.Errorf("%s: %q", mode, out)
		}
		stalled := &screen{stalled: true}
		p = still(t, mode, stalled)
		play(t, "01-success", p, p.show)
		p.Stop()
		if stalled.String() != "" {
			t.Errorf("%s: %q", mode, stalled)
		}
	}
	var none *Progress
	none.Update(mapping.Tree{})
	none.Settled(mapping.SpanID{}, mapping.Tree{})
	none.Stop()
}

// It writes by itself.
func TestTicks(t *testing.T) {
	t.Parallel()
	out := &screen{}
	tick := make(chan time.Time)
	p := Start(Options{Mode: Plain, Log: say.New(out, say.Warn), OpenEnd: openEnd, Tick: func() (<-chan time.Time, func()) { return tick, func() {} }})
	play(t, "01-success", p, func() {})
	tick <- time.Time{}
	tick <- time.Time{} // the first one is done with
	if !strings.Contains(out.String(), "completed") {
		t.Errorf("%q", out)
	}
	p.Stop()
}

func TestMode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		setting        string
		stderr, stdout bool
		want           string
	}{
		{"none", true, false, None}, {"", true, false, None},
		{"auto", true, false, TTY}, {"auto", true, true, None}, {"auto", false, false, Plain}, {"auto", false, true, Plain},
		{"tty", true, true, TTY}, {"tty", false, false, Plain}, {"plain", true, true, Plain}, {"plain", false, false, Plain},
	} {
		if got := Mode(c.setting, c.stderr, c.stdout); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
