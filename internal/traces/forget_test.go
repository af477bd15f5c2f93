package traces

import "testing"

// A page that is open for weeks does not remember what was in every file there ever was.
func TestForget(t *testing.T) {
	t.Parallel()
	s := Store(t.TempDir(), Options{})
	s.seen = map[string]listed{"swept": {}, "there": {}}
	s.forget([]storedFile{{path: "there"}})
	if _, ok := s.seen["there"]; !ok || len(s.seen) != 1 {
		t.Errorf("remembers %v", s.seen)
	}
}
