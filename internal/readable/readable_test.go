package readable

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-5: "0ms", 0: "0ms", 999999 * time.Microsecond: "999ms", time.Second: "1.0s", 59999 * time.Millisecond: "59.9s",
		time.Minute: "1m00s", 59*time.Minute + 59*time.Second: "59m59s", 26*time.Hour + 7*time.Minute: "26h07m",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if Count(1, "agent") != "1 agent" || Count(0, "agent") != "0 agents" || Count(1000, "agent") != "1,000 agents" {
		t.Error(Count(1, "agent"), Count(0, "agent"), Count(1000, "agent"))
	}
	for part, want := range map[float64]string{0: "0%", 0.999: "99%", 1: "100%", 0.57: "57%"} {
		if got := Percent(part); got != want {
			t.Errorf("%v: %s, want %s", part, got, want)
		}
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		width int
		fit   string // to 5
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abcdef", 6, "abcd…"},
		{"検索", 4, "検索"},
		{"検索エージェント", 16, "検索…"},
		{"x検索y", 6, "x検…"},
		{"👩‍👩‍👧 ok", 5, "👩‍👩‍👧 ok"},
		{"👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 6, "👩‍👩‍👧👩‍👩‍👧…"},
		{"🇩🇪🇨🇳🇫🇷", 6, "🇩🇪🇨🇳…"},
		{"é́x", 2, "é́x"},
		{"한국어", 6, "한국…"},
		{"│└─▕█", 5, "│└─▕█"},
		{"❤️❤️❤️", 6, "❤️❤️…"},
	} {
		if got := Width(c.text); got != c.width {
			t.Errorf("%q is %d wide, want %d", c.text, got, c.width)
		}
		got := Fit(c.text, 5)
		if got != c.fit || Width(got) > 5 {
			t.Errorf("%q: %q, want %q", c.text, got, c.fit)
		}
		if Width(Pad(got, 7)) != 7 || Width(PadLeft(got, 7)) != 7 {
			t.Errorf("%q is not padded to 7", got)
		}
	}
	if Fit("abc", 0) != "" || Fit("abc", 1) != "…" || Pad("abc", 2) != "abc" {
		t.Error("bounds")
	}
}
