package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// root is the repository.
var root = func() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}()

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// ports returns what the groups of a pattern match in a file.
func ports(t *testing.T, file, pattern string) []string {
	t.Helper()
	var out []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(read(t, file), -1) {
		for _, group := range m[1:] {
			if group != "" {
				out = append(out, group)
			}
		}
	}
	return out
}

func itoa[T int | uint32](n T) string { return strconv.Itoa(int(n)) }

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
