// Package page is the web page that shows traces: for the viewer, which feeds it, and as a report, one file that holds
// its data.
//
// The page is plain modules of JavaScript and style sheets in assets, put together here; nothing else is needed to
// build it. All texts in the data are untrusted: they enter the page as JSON and are only ever made into text nodes,
// which the page's own policy enforces (see [Policy]).
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed assets
var assets embed.FS

// scripts and styles are the parts of the page, each after those it needs.
var (
	scripts = []string{
		"dom", "format", "states", "model", "rows", "scale", "concurrency", "waterfall", "overview", "head", "phases", "details",
		"list", "theme", "feed", "keys", "gestures", "app",
	}
	styles = []string{"base", "list", "trace", "rows", "panel"}
)

// parts is the page before it has data.
type parts struct {
	before, between, after string // data goes between; a policy for the file before "between"
	policy                 string // without what may be connected to
}

var built = sync.OnceValue(build)

// build puts the page together. It panics on a mistake in the assets, which its test would find.
func build() parts {
	style, script := bundleStyle(), bundleScript()
	html := asset("page.html")
	html = strings.Replace(html, "{{style}}", style, 1)
	html = strings.Replace(html, "{{script}}", script, 1)
	before, rest, ok := strings.Cut(html, "{{csp}}")
	between, after, ok2 := strings.Cut(rest, "{{data}}")
	if !ok || !ok2 {
		panic("page.html lacks a place")
	}
	// Nothing is loaded, no text becomes a script or HTML, and only these two elements are ours.
	policy := "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) +
		"; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	return parts{before, between, after, policy}
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// asset reads a file. A checkout may have given its lines other ends, which a browser takes back before it hashes.
func asset(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
}

func bundleStyle() string {
	var b strings.Builder
	for _, name := range styles {
		b.WriteString(asset("css/" + name + ".css"))
	}
	return b.String()
}

// bundleScript makes one script of the modules: each a function that returns what it exports.
func bundleScript() string {
	// The form in which a module names others, one line each, and that of what it has to offer.
	importLine := regexp.MustCompile(`^import \{ ([\w, ]+) \} from "\./(\w+)\.js";$`)
	exportLine := regexp.MustCompile(`^export ((?:async )?function|class|const) (\w+)`)
	var b strings.Builder
	b.WriteString("\"use strict\";\n")
	exports := map[string][]string{}
	for _, module := range scripts {
		fmt.Fprintf(&b, "const $%s = (() => {\n", module)
		exports[module] = []string{}
		for line := range strings.Lines(asset("js/" + module + ".js")) {
			if m := importLine.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
				for name := range strings.SplitSeq(m[1], ", ") {
					if !slices.Contains(exports[m[2]], name) {
						panic(fmt.Sprintf("%s.js imports %s, which is not in %s.js or comes later", module, name, m[2]))
					}
				}
				line = fmt.Sprintf("const { %s } = $%s;\n", m[1], m[2])
			} else if m := exportLine.FindStringSubmatch(line); m != nil {
				exports[module] = append(exports[module], m[2])
				line = strings.TrimPrefix(line, "export ")
			}
			if strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "export ") {
				panic(fmt.Sprintf("%s.js: %q is not a form of import or export that is used here", module, line))
			}
			b.WriteString(line)
		}
		fmt.Fprintf(&b, "return { %s };\n})();\n", strings.Join(exports[module], ", "))
	}
	return b.String()
}

// Live returns the page that listens to the program it came from, and its Content-Security-Policy, to be sent with it.
func Live() (html []byte, policy string) {
	p := built()
	return []byte(p.before + p.between + p.after), p.policy + "; connect-src 'self'; frame-ancestors 'none'"
}
