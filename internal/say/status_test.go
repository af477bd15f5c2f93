package say

import (
	"bytes"
	"strings"
	"testing"
)

// stalled is a writer whose reader does not read.
type stalled struct {
	bytes.Buffer
	ok bool
}

func (s *stalled) Ready() bool { return s.ok }

func TestStatusStaysBelowWhatIsPrinted(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := New(&out, Warn)
	l.Status([]string{"one", "two\x1b[2J\n"})
	const shown = "\x1bD\x1bD\x1bD\x1b[3A\x1b7\r\x1b[B\r\x1b[Bone\r\x1b[Btwo \x1b8"
	if out.String() != "\x1b[J"+shown {
		t.Errorf("%q", out.String())
	}
	out.Reset()
	l.Warnf("x")
	if out.String() != "\x1b[Jcbc-otel: warning: x\r\n"+shown {
		t.Errorf("%q", out.String())
	}
	out.Reset()
	l.Status(nil)
	l.Status(nil)
	l.Warnf("y")
	if out.String() != "\x1b[Jcbc-otel: warning: y\n" {
		t.Errorf("%q", out.String())
	}
}

func TestNobodyWaitsForAStalledReader(t *testing.T) {
	t.Parallel()
	out := &stalled{}
	l := New(out, Warn)
	if l.Status([]string{"x"}) || l.TryPrint("y") || out.Len() > 0 {
		t.Errorf("%q", out)
	}
	if !l.Status(nil) {
		t.Error("there was nothing to take away")
	}
	out.ok = true
	if !l.TryPrint("y\nz") || out.String() != "cbc-otel: y z\n" {
		t.Errorf("%q", out)
	}
	var none *Logger
	if !none.Status([]string{"x"}) || !none.TryPrint("x") || strings.Contains(out.String(), "x") {
		t.Error("a nil logger is silent")
	}
}
