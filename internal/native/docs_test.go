package native

import (
	"os"
	"strings"
	"testing"
)

// Every key whose text leaves is in the documentation.
func TestKeysAreDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/native.md")
	check(t, err)
	for _, list := range []map[string]bool{texts, errorTexts} {
		for key := range list {
			if !strings.Contains(string(doc), "`"+key+"`") {
				t.Errorf("docs/native.md does not name %s", key)
			}
		}
	}
}
