package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra/doc"

	"cbc-otel/internal/say"
)

var update = flag.Bool("update", false, "rewrite the man pages in docs/man")

// thisMonth is where the generator puts the day it ran, which says nothing about the page.
var thisMonth = regexp.MustCompile(`(?m)^\.TH ("[^"]*") ("[^"]*") "[^"]*" (.*)$`)

// The man pages are those of the commands.
func TestManPagesAreCommitted(t *testing.T) {
	t.Parallel()
	const committed = "../../docs/man"
	h := &host{args: []string{program}, getenv: func(string) string { return "" }, log: say.New(os.Stderr, say.Warn)}
	code := 0
	root := h.root(&code)
	root.DisableAutoGenTag = true
	root.InitDefaultCompletionCmd("help")
	dir := t.TempDir()
	if err := doc.GenManTree(root, &doc.GenManHeader{Title: "CBC-OTEL", Section: "1", Source: program, Manual: program}, dir); err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, path := range glob(t, dir) {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages[filepath.Base(path)] = thisMonth.ReplaceAllString(string(page), `.TH $1 $2 "" $3`)
	}
	if *update {
		for _, path := range glob(t, committed) {
			_ = os.Remove(path)
		}
		for name, page := range pages {
			if err := os.WriteFile(filepath.Join(committed, name), []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := map[string]string{}
	for _, path := range glob(t, committed) {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.Base(path)] = string(page)
	}
	if diff := cmp.Diff(pages, got); diff != "" {
		t.Errorf("docs/man is not of the commands; go test ./cmd/cbc-otel -run Man -update\n%s", diff)
	}
}

func glob(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
