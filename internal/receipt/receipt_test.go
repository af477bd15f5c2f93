package receipt

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample() *Receipt {
	return &Receipt{
		Version: "1.2",
		Stdout:  Stdout{Bytes: 1000, Lines: 10, SHA256: "ab"},
		Events:  Events{Seen: 5, Late: 1},
		Spans:   Spans{Workflows: 1, Phases: 2, Agents: 3, Made: 6},
		Exporters: map[string]Exporter{
			"otlp": {Exported: 2, Spooled: 3, Lost: 1, Reasons: map[string]int{"401": 1, "refused": 3}},
			"file": {Exported: 6},
		},
		Exit:    Exit{Code: 7},
		AddedMS: 12.34,
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	want := "forwarded 1000 bytes, 10 lines; 5 events, 1 late; workflows 1, phases 2, agents 3; " +
		"file: 6 exported, 0 spooled, 0 lost, 0 not sampled; otlp: 2 exported, 3 spooled, 1 lost, 0 not sampled; added 12.3ms"
	if got := sample().Line(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := sample().Lost(); got != 1 {
		t.Errorf("lost %d, want 1", got)
	}
}

func TestWriteReplacesTheWholeFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "receipt.json")
	if err := os.WriteFile(path, []byte(strings.Repeat("old", 10000)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := sample().Write(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got Receipt
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*sample(), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
}

func TestWriteNamesWhatFailed(t *testing.T) {
	t.Parallel()
	err := sample().Write(filepath.Join(t.TempDir(), "no", "such", "dir", "r.json"))
	if err == nil || !strings.HasPrefix(err.Error(), "receipt: ") || !strings.Contains(err.Error(), "no/such/dir") {
		t.Errorf("got %v", err)
	}
}
