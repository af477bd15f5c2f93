package filter

import "testing"

func TestFingerprint(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, c := range map[string]Config{
		"empty": {}, "a rule": one(Action{Action: "delete", Key: "a"}), "another key": one(Action{Action: "delete", Key: "b"}),
		"secrets": {Redaction: Redaction{Secrets: &yes}}, "no secrets": {Redaction: Redaction{Secrets: &no}},
		"hmac": {Redaction: Redaction{HMACKey: "a"}}, "another hmac": {Redaction: Redaction{HMACKey: "b"}},
	} {
		f := c.Fingerprint()
		if other, again := seen[f]; again || len(f) != 32 {
			t.Errorf("%s and %s: %q", name, other, f)
		}
		seen[f] = name
		same(t, name, c.Fingerprint(), f)
	}
}
