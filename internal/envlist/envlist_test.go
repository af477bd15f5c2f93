package envlist

import (
	"slices"
	"testing"
)

func TestSet(t *testing.T) {
	t.Parallel()
	env := []string{"A=1", "B=2", "A=3", "AB=4", "A", "=x"}
	for _, tt := range []struct {
		name string
		got  []string
		want []string
	}{
		{"replaced, however often it was there", Set(env, "A", "5"), []string{"B=2", "AB=4", "A", "=x", "A=5"}},
		{"new", Set(env, "C", ""), []string{"A=1", "B=2", "A=3", "AB=4", "A", "=x", "C="}},
		{"removed", Unset(env, "A"), []string{"B=2", "AB=4", "A", "=x"}},
		{"not there", Unset(env, "C"), env},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	if !slices.Equal(env, []string{"A=1", "B=2", "A=3", "AB=4", "A", "=x"}) {
		t.Errorf("the list given was changed: %q", env)
	}
	if got := Get(env, "A"); got != "1" {
		t.Errorf("Get: %q", got)
	}
	if got := Get(env, "C"); got != "" {
		t.Errorf("Get of what is not there: %q", got)
	}
}
