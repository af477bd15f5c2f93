package config

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func sorted(less func(a, b string) bool) cmp.Option { return cmpopts.SortSlices(less) }

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "5s": 5 * time.Second, "1m30s": 90 * time.Second, "500ms": 500 * time.Millisecond, "1.5h": 90 * time.Minute,
		"14d": 14 * 24 * time.Hour, "1d12h": 36 * time.Hour, "2us3ns": 2003,
	} {
		if got, ok := parseDuration(in); !ok || got != want {
			t.Errorf("%q: %v, %v; want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "5", "s", "5 s", "-1s", "+1s", ".5s", "5.s", "1.2.3s", "5x", "5s ", "1e3s", "99999999d", "60000d60000d", "1w"} {
		if got, ok := parseDuration(in); ok {
			t.Errorf("%q: accepted as %v", in, got)
		}
	}
}

func TestShowDurationIsRead(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", 5 * time.Second: "5s", time.Minute: "1m", 90 * time.Second: "1m30s", time.Hour: "1h", 14 * 24 * time.Hour: "14d",
		36 * time.Hour: "36h", 1500 * time.Microsecond: "1.5ms", 2 * time.Microsecond: "2us", 61 * time.Minute: "1h1m",
	} {
		got := showDuration(d)
		if back, ok := parseDuration(got); got != want || !ok || back != d {
			t.Errorf("%v: %q, read as %v; want %q", d, got, back, want)
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int64{"1": 1, "200MB": 200e6, "200 MB": 200e6, "1GiB": 1 << 30, "1.5KiB": 1536, "10B": 10, "3kB": 3000} {
		got, problem := size{}.parse(in, "")
		if problem != "" || got != want {
			t.Errorf("%q: %v, %q; want %d", in, got, problem, want)
		}
		if back, _ := (size{}).parse(showSize(want), ""); back != want {
			t.Errorf("%d shown as %q", want, showSize(want))
		}
	}
	for _, in := range []string{"", "0", "-1", "MB", "1XB", "1e3", "0.1B", ".5MB", "5.MB", "99999999TB", "200  MB"} {
		if got, problem := (size{}).parse(in, ""); problem == "" {
			t.Errorf("%q: accepted as %v", in, got)
		}
	}
}

// The types of plain scalars are those of the core schema of YAML 1.2.
func TestScalarTypes(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]any{
		"": nil, "~": nil, "null": nil, "NULL": nil, "nULL": "nULL", "true": true, "TRUE": true, "tRUE": "tRUE", "False": false, "yes": "yes", "on": "on",
		"0": int64(0), "-12": int64(-12), "+12": int64(12), "012": int64(12), "0o14": int64(12), "0xC": int64(12), "-0xC": "-0xC", "1_000": "1_000", "0b1": "0b1",
		"1.": 1.0, ".5": 0.5, "-1e3": -1000.0, "+.5": .5, "1.5e-3": 0.0015, "e3": "e3", ".": ".", "-": "-", "+-1": "+-1", "1e": "1e", "1.2.3": "1.2.3", "0x1p3": "0x1p3", "inf": "inf",
		".inf": math.Inf(1), "-.INF": math.Inf(-1), "99999999999999999999": 1e20, "2026-12-01": "2026-12-01", "5s": "5s",
	} {
		if got := (&node{text: in, plain: true}).value(); got != want {
			t.Errorf("%q: %#v, want %#v", in, got, want)
		}
		if got := (&node{text: in}).value(); got != in {
			t.Errorf("%q in quotes: %#v", in, got)
		}
	}
	if f, ok := (&node{text: ".nan", plain: true}).value().(float64); !ok || !math.IsNaN(f) {
		t.Error(".nan is no number")
	}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	names := []string{"exporter", "grace", "flush_timeout", "tap"}
	for in, want := range map[string]string{"exportr": "exporter", "exporters": "exporter", "flush-timeout": "flush_timeout", "FlushTimeout": "flush_timeout", "tpa": "tap", "colour": "", "foo": "", "grac": "grace"} {
		if got := suggest(in, names); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
