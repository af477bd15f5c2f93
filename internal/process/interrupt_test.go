package process

import (
	"encoding/json"
	"testing"
)

func TestInterruptRequest(t *testing.T) {
	t.Parallel()
	first, second := interruptRequest("s\n\"1", "signal SIGTERM"), interruptRequest("", "signal SIGINT")
	for _, line := range [][]byte{first, second} {
		if line[len(line)-1] != '\n' || !json.Valid(line) {
			t.Errorf("not a JSON line: %q", line)
		}
	}
	var a, b struct {
		RequestID string         `json:"request_id"`
		Request   map[string]any `json:"request"`
	}
	if err := json.Unmarshal(first, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(second, &b); err != nil {
		t.Fatal(err)
	}
	if a.RequestID == b.RequestID {
		t.Errorf("two requests are called %s", a.RequestID)
	}
	if a.Request["session_id"] != "s\n\"1" {
		t.Errorf("session_id %q", a.Request["session_id"])
	}
	if id, ok := b.Request["session_id"]; ok {
		t.Errorf("an unknown session has the id %q", id)
	}
}
