package say

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writes keeps each write apart.
type writes []string

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, string(p))
	return len(p), nil
}

func TestLevels(t *testing.T) {
	t.Parallel()
	var out writes
	l := New(&out, Warn)
	say := func() {
		l.Debugf("d")
		l.Infof("i")
		l.Warnf("w %d%%", 5)
		l.Errorf("100%")
	}
	say()
	l.SetLevel(Debug)
	say()
	l.SetLevel(Error)
	say()
	want := writes{
		"cbc-otel: warning: w 5%\n", "cbc-otel: error: 100%\n",
		"cbc-otel: debug: d\n", "cbc-otel: i\n", "cbc-otel: warning: w 5%\n", "cbc-otel: error: 100%\n",
		"cbc-otel: error: 100%\n",
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if warnings, errors := l.Counts(); warnings != 3 || errors != 3 {
		t.Errorf("Counts() = %d, %d; want 3, 3, the unprinted ones too", warnings, errors)
	}
	if l.Enabled(Warn) || !l.Enabled(Error) {
		t.Errorf("Enabled(Warn) = %v, Enabled(Error) = %v at level error", l.Enabled(Warn), l.Enabled(Error))
	}
}

func TestParseLevel(t *testing.T) {
	t.Parallel()
	for _, name := range Levels() {
		if level, ok := ParseLevel(name); !ok || level.String() != name {
			t.Errorf("ParseLevel(%q) = %v, %v", name, level, ok)
		}
	}
	if level, ok := ParseLevel("loud"); ok {
		t.Errorf("ParseLevel(loud) = %v", level)
	}
}

func TestMessageIsOneLine(t *testing.T) {
	t.Parallel()
	var out writes
	New(&out, Info).Infof("server said %s", "no\ncbc-otel: error: forged\r\n::error::x\x1b[2J")
	want := writes{"cbc-otel: server said no cbc-otel: error: forged : :error: :x\n"}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	var out writes
	l := New(&out, Error)
	l.Print("a\n\n  b  \n")
	fmt.Fprint(l.Writer(), "\x1b[1mc\x1b[0m\n")
	l.PrintStyled("\x1b[1md\x1b[0m\x1b[2J\x1b]0;t\x07")
	want := writes{"cbc-otel: a\n", "cbc-otel: \n", "cbc-otel:   b\n", "cbc-otel: c\n", "cbc-otel: \x1b[1md\x1b[0m\n"}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestOnce(t *testing.T) {
	t.Parallel()
	var out writes
	l := New(&out, Warn)
	for i := range 3 {
		l.Once("a", Warn, "a %d", i)
		l.Once("b", Warn, "b %d", i)
	}
	if diff := cmp.Diff(writes{"cbc-otel: warning: a 0\n", "cbc-otel: warning: b 0\n"}, out); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if warnings, _ := l.Counts(); warnings != 2 {
		t.Errorf("%d warnings counted, want 2", warnings)
	}
}

// A secret must be masked as a whole: before the line is cut, over line ends, and with nothing hidden in it.
func TestMask(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	var out writes
	l := New(&out, Info)
	l.SetMask(func(s string) string { return strings.ReplaceAll(s, secret, "****") })
	l.Infof("%s%s", strings.Repeat("x", MaxLine-len(Prefix)-len(secret)+3), secret)
	l.Infof("hunter2\x1b[0mhunter2")
	l.Print("a\nkey: " + secret)
	for _, line := range out {
		if strings.Contains(line, "hunter2") {
			t.Errorf("secret in %q", line)
		}
	}
	if len(out) != 4 {
		t.Errorf("%d lines, want 4", len(out))
	}
}

func TestLongLineIsCutAtARune(t *testing.T) {
	t.Parallel()
	var out writes
	New(&out, Info).Infof("%s", strings.Repeat("é", MaxLine))
	if n := len(out[0]); n > MaxLine || n < MaxLine-3 || !strings.HasSuffix(out[0], "é…\n") {
		t.Errorf("%d bytes, ends %q", n, out[0][n-8:])
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	var out writes
	l := New(&out, Info)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 100 {
				l.Warnf("writer %d", i)
				l.Print("a\nb")
				l.Once(fmt.Sprint(i), Info, "once")
				l.SetLevel(Info)
			}
		})
	}
	wg.Wait()
	if want := 8 * (100*3 + 1); len(out) != want {
		t.Errorf("%d lines, want %d", len(out), want)
	}
	if warnings, _ := l.Counts(); warnings != 800 {
		t.Errorf("%d warnings, want 800", warnings)
	}
}

func TestNilLoggerIsSilent(t *testing.T) {
	t.Parallel()
	var l *Logger
	l.Errorf("x")
	l.Once("k", Error, "x")
	l.Print("x")
	l.PrintStyled("x")
	l.SetLevel(Debug)
	l.SetMask(nil)
	fmt.Fprint(l.Writer(), "x")
	if warnings, errors := l.Counts(); warnings != 0 || errors != 0 || l.Enabled(Error) {
		t.Error("a nil logger did something")
	}
}
