package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzConfig: no file makes the loader panic; every error has a place in the file and is one line; what is
// accepted prints as a file that is accepted.
func FuzzConfig(f *testing.F) {
	paths, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil || len(paths) < 50 {
		f.Fatalf("%d seeds, %v", len(paths), err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add(Starter())
	f.Fuzz(func(t *testing.T, text string) {
		s, errs := loadText("c.yaml", text)
		checkErrors(t, errs)
		lines := strings.Count(text, "\n") + 1
		for _, e := range errs {
			if e.Line > lines {
				t.Errorf("%q in a file of %d lines", e, lines)
			}
		}
		if len(errs) > 0 {
			if len(s.Exporters) > 0 {
				t.Errorf("exports to %v in spite of errors", s.Exporters)
			}
			return
		}
		printed := s.Print()
		if s.Filter.Redaction.HMACKey != "" {
			printed = strings.ReplaceAll(printed, `hmac_key: "****"`, "hmac_key: ${env:HMAC_KEY}")
		}
		if _, errs := loadText("c.yaml", printed); len(errs) > 0 {
			t.Errorf("printed as\n%s\n%v", printed, errs)
		}
	})
}
