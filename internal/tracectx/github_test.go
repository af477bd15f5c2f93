package tracectx

import (
	"encoding/hex"
	"testing"
)

func TestGitHubRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ on, run, attempt, trace, span string }{
		// SHA-256 of "97539497632t" and "97539497632s", as sha256sum gives it.
		{"true", "9753949763", "2", "a0d2a076c2967c038ee3d8fc5a795e0d", "5967371e26a2a2f0"},
		{"true", "1", "1", "0c3610683c0cb3d1128a2d07d5cfc428", "954e4d5d48e399a0"},
		{"", "1", "1", "", ""},
		{"true", "", "1", "", ""},
		{"true", "1", "", "", ""},
		{"true", "1x", "1", "", ""},
		{"true", "01", "1", "", ""},
	} {
		env := map[string]string{"GITHUB_ACTIONS": tt.on, "GITHUB_RUN_ID": tt.run, "GITHUB_RUN_ATTEMPT": tt.attempt}
		got, ok := GitHubRun(func(name string) string { return env[name] })
		if ok != (tt.trace != "") || got.Sampled != ok {
			t.Errorf("%+v: %v, sampled %v", tt, ok, got.Sampled)
		}
		if ok && (hex.EncodeToString(got.TraceID[:]) != tt.trace || hex.EncodeToString(got.SpanID[:]) != tt.span) {
			t.Errorf("%+v: %x, %x", tt, got.TraceID, got.SpanID)
		}
	}
}
