package testdata

import (
	"bytes"
	"os"
	"testing"
)

func TestCaptures(t *testing.T) {
	all := Captures()
	if len(all) < 26 {
		t.Errorf("%d captures, want 26 or more", len(all))
	}
	for _, c := range all {
		lines, err := c.Lines()
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		for i, l := range lines {
			if len(l) < 2 || l[0] != '{' || l[len(l)-1] != '}' {
				t.Errorf("%s:%d is no JSON object", c.Name, i+1)
			}
		}
		times, err := c.Times()
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if times != nil && len(times) != len(lines) {
			t.Errorf("%s: %d times for %d lines", c.Name, len(times), len(lines))
		}
		p, err := c.Path()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(p); err != nil {
			t.Error(err)
		}
	}
}

// A capture without canaries would make every leak test pass for nothing.
func TestCanaries(t *testing.T) {
	for _, canary := range Canaries {
		found := 0
		for _, c := range Captures() {
			all, err := c.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(all, []byte(canary)) {
				found++
			}
		}
		if found == 0 {
			t.Errorf("%q is in no capture", canary)
		}
	}
}

func TestFind(t *testing.T) {
	if _, err := Find("no-such"); err == nil {
		t.Error("no error for a capture that does not exist")
	}
	if c, err := Find("11-150-agents"); err != nil || c.File != "11-150-agents.ndjson.gz" {
		t.Errorf("got %+v, %v", c, err)
	}
}
