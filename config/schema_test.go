package config

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// beyond lists the bad files whose fault no JSON Schema can see, with the reason.
var beyond = map[string]string{
	"alias.yaml":                    "the data model of JSON has no aliases",
	"alias-unknown.yaml":            "the same",
	"merge-key.yaml":                "the same; a merged key is an ordinary one to a validator",
	"duplicate-keys.yaml":           "the data model of JSON has each key once",
	"second-document.yaml":          "a validator sees one document",
	"tags.yaml":                     "the data model of JSON has no tags",
	"complex-key.yaml":              "the data model of JSON has texts as keys",
	"syntax-indent.yaml":            "no YAML",
	"syntax-tab.yaml":               "no YAML",
	"syntax-quote.yaml":             "no YAML",
	"syntax-flow.yaml":              "no YAML",
	"invalid-utf8.yaml":             "no YAML",
	"control-character.yaml":        "no YAML",
	"endpoint-from-variable.yaml":   "depends on the environment",
	"endpoint-port.yaml":            "the pattern counts the digits of a port only",
	"redaction-hmac-key.yaml":       "depends on the environment",
	"redaction-hmac-key-short.yaml": "a length in bytes",
	"tls-insecure.yaml":             "the endpoint may come from elsewhere",
	"regexps.yaml":                  "the dialect is RE2, for which there is no format",
	"tls-half.yaml":                 "the other half may come from a variable",
	"too-deep.yaml":                 "the depth is not limited",
	"tls-missing.yaml":              "looks at the file system",
}

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// instance turns a file into what a validator would see, nil and false if it is no YAML or has a fault of
// its own there. Variables are not put in.
func instance(text string) (any, bool) {
	root, faults := parseYAML([]byte(text))
	if len(faults) > 0 {
		return nil, false
	}
	if root == nil {
		return map[string]any{}, true
	}
	return toJSON(root), true
}

func toJSON(n *node) any {
	switch n.kind {
	case listNode:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = toJSON(item)
		}
		return list
	case mapNode:
		m := make(map[string]any)
		for _, p := range n.pairs {
			m[p.key.text] = toJSON(p.value)
		}
		return m
	}
	v := n.value()
	if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return n.text // JSON has no such numbers
	}
	return v
}

func TestSchemaIsCommitted(t *testing.T) {
	t.Parallel()
	if *update {
		if err := os.WriteFile("schema.json", Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, "schema.json"), string(Schema())); diff != "" {
		t.Errorf("schema.json is not the schema of the table; go test ./config -update\n%s", diff)
	}
}

func TestSchemaAcceptsTheSameFiles(t *testing.T) {
	t.Parallel()
	schema := compiledSchema(t)
	for _, path := range append(files(t, "testdata/good/*.yaml"), files(t, "testdata/bad/*.yaml")...) {
		name := filepath.Base(path)
		doc, ok := instance(read(t, path))
		accepted := ok && schema.Validate(doc) == nil
		want := strings.Contains(path, "good")
		if reason := beyond[name]; reason != "" && !want {
			if ok && !accepted {
				t.Errorf("%s: the schema does see the fault, in spite of %q", path, reason)
			}
			continue
		}
		if !ok {
			t.Errorf("%s: no instance", path)
		} else if accepted != want {
			t.Errorf("%s: accepted %v, want %v: %v", path, accepted, want, schema.Validate(doc))
		}
	}
}

// Each value at each key is accepted by both or by none.
func TestSchemaAgreesOnEveryKey(t *testing.T) {
	t.Parallel()
	schema := compiledSchema(t)
	values := []string{"", "text", "''", `"12"`, "12", "0", "-3", "1.5", "true", "yes", "5s", "1h30m", "0s", "14d", "5 s", "200MB", "1GiB", "[]", "{}", "[otlp]", "[file, otlp]", "'otlp, file'",
		"[none]", "[[a]]", "[1]", "[a, ~]", "[true]", "{a: b}", "{a: 1}", "{a: }", "{a: [b]}", "{a: {b: c}}", "grpc", "http/json", "gzip", "http://localhost:4318", "https://h/p", "localhost:4318",
		"https://u:p@h", "http://h?q", "http://h:x", "http://", "/abs", "~/home", "rel", "always", "child", "label", "type", "wait", "interrupt", "debug", "x y",
		"2026-12-01", "[{spans: [agent]}]", "[{spans: []}]", "[{actions: [{key: a, action: delete}]}]", "{allow_all_keys: false}", "{allow_all_keys: false, allowed_keys: [a]}"}
	seen := map[bool]int{}
	for _, path := range paths(fileShape(), nil) {
		for _, value := range values {
			text := place2text(path, value)
			_, errs := loadText("c.yaml", text)
			doc, ok := instance(text)
			if !ok {
				t.Fatalf("no YAML:\n%s", text)
			}
			accepted := schema.Validate(doc) == nil
			seen[accepted]++
			if accepted != (len(errs) == 0) {
				t.Errorf("schema %v, loader %v:\n%s\n%v\n%v", accepted, len(errs) == 0, text, errs, schema.Validate(doc))
			}
		}
	}
	if seen[true] < 100 || seen[false] < 1000 {
		t.Errorf("accepted and rejected: %v; the values do not try much", seen)
	}
}

// paths lists the keys of a shape; an element of a list is "-".
func paths(s *shape, above []string) [][]string {
	var list [][]string
	for _, f := range s.fields {
		at := append(above[:len(above):len(above)], f.key)
		list = append(list, at)
		list = append(list, paths(f.get(), at)...)
	}
	if s.items != nil && s.items.fields != nil {
		list = append(list, paths(s.items, append(above[:len(above):len(above)], "-"))...)
	}
	return list
}

// place2text writes a value at a path, in the flow style.
func place2text(path []string, value string) string {
	if strings.HasPrefix(value, "http") {
		value = `"` + value + `"`
	}
	for i := len(path) - 1; i >= 0; i-- {
		switch {
		case path[i] == "-":
			value = "[" + value + "]"
		default:
			value = fmt.Sprintf("{%s: %s}", path[i], value)
		}
	}
	return value + "\n"
}
