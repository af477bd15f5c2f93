package mapping

import "testing"

func TestTokensToShow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		attrs []Attribute
		want  int64
		ok    bool
	}{
		{"nothing", nil, 0, false},
		{"of the stream", []Attribute{{KeyAgentTokens, int64(7)}}, 7, true},
		{"a phase's of the stream", []Attribute{{KeyPhaseTokens, int64(8)}}, 8, true},
		{"a workflow's of the stream", []Attribute{{KeyUsageTokens, int64(0)}}, 0, true},
		{"billed", []Attribute{{KeyAgentTokens, int64(7)}, {KeyInput, int64(100)}, {KeyOutput, int64(20)}, {KeyCacheRead, int64(90)}}, 120, true},
		{"a workflow's billed", []Attribute{{KeyUsageTokens, int64(7)}, {KeyAllInput, int64(100)}}, 100, true},
		{"no number", []Attribute{{KeyAgentTokens, "7"}}, 0, false},
	} {
		if got, ok := Tokens(&Span{Attributes: tt.attrs}); got != tt.want || ok != tt.ok {
			t.Errorf("%s: %d, %v", tt.name, got, ok)
		}
	}
}
