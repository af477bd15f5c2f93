//go:build unix

package process

import "testing"

func TestBoundary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pending string
		midLine bool
		at      int
		ok      bool
	}{
		{"", false, 0, true},
		{"", true, 0, false},
		{"whole\n", false, 0, true},
		{"half", false, 0, true},
		{"rest of it", true, 0, false},
		{"rest\n", true, 5, true},
		{"rest\nnext\n", true, 5, true},
		{"\nnext", true, 1, true},
	} {
		at, ok := boundary([]byte(c.pending), c.midLine)
		if at != c.at || ok != c.ok {
			t.Errorf("boundary(%q, %v) = %d, %v, want %d, %v", c.pending, c.midLine, at, ok, c.at, c.ok)
		}
	}
}
