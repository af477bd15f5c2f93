package config

import (
	"os"
	"testing"
)

// A start without a file must cost next to nothing.
func BenchmarkLoadNothing(b *testing.B) {
	o := Options{Getenv: func(string) string { return "" }, Command: []string{"claude"}}
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := Load(o); len(errs) > 0 {
			b.Fatal(errs)
		}
	}
}

func BenchmarkLoadFile(b *testing.B) {
	data, err := os.ReadFile("testdata/good/full.yaml")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := loadText("/c.yaml", string(data)); len(errs) > 0 {
			b.Fatal(errs)
		}
	}
}
