// Command sbom lists the modules that programs were built from, as CycloneDX JSON: what "go version -m" tells of
// them. The same programs give the same text.
//
//	sbom VERSION PROGRAM... >FILE
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// The part of CycloneDX 1.6 that is used.
type bom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom VERSION PROGRAM...")
		os.Exit(2)
	}
	out, err := describe(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
	os.Stdout.Write(out)
}

// describe lists the modules of all programs, which are builds of the same one for several platforms.
func describe(version string, programs []string) ([]byte, error) {
	b := bom{Format: "CycloneDX", Spec: "1.6", Version: 1}
	seen := map[string]bool{}
	for _, path := range programs {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, err
		}
		b.Metadata.Component = library("application", info.Main.Path, version, "")
		b.add(seen, library("library", "std", strings.TrimPrefix(info.GoVersion, "go"), ""))
		for _, module := range info.Deps {
			if module.Replace != nil {
				module = module.Replace
			}
			b.add(seen, ofModule(module))
		}
	}
	slices.SortFunc(b.Components, func(x, y component) int { return strings.Compare(x.Ref, y.Ref) })
	out, err := json.MarshalIndent(b, "", "  ")
	return append(out, '\n'), err
}

func (b *bom) add(seen map[string]bool, c component) {
	if !seen[c.Ref] {
		seen[c.Ref] = true
		b.Components = append(b.Components, c)
	}
}

func ofModule(m *debug.Module) component { return library("library", m.Path, m.Version, m.Sum) }

func library(kind, name, version, sum string) component {
	purl := "pkg:golang/" + name + "@" + version
	c := component{Type: kind, Ref: purl, Name: name, Version: version, PURL: purl}
	if sum != "" {
		c.Properties = []property{{Name: "go:sum", Value: sum}} // of the module, as in go.sum; not of a file
	}
	return c
}
