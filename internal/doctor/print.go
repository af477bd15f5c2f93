package doctor

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"cbc-otel/config"
	"cbc-otel/filter"
	"cbc-otel/internal/say"
)

func (d *doctor) ok(what, text string) { d.line("ok", what, text, "") }

// warn reports what works but is likely not meant.
func (d *doctor) warn(what, text, todo string) {
	d.warned++
	d.line("warn", what, text, todo)
}

// fail reports what keeps traces from arriving.
func (d *doctor) fail(what, text, todo string) {
	d.failed++
	d.line("FAIL", what, text, todo)
}

// line prints a finding.
func (d *doctor) line(status, what, text, todo string) {
	if todo != "" {
		text += " -> " + todo
	}
	d.print(fmt.Sprintf("%-4s  %s: %s", status, what, text))
}

// print writes one line whatever the text holds: it may come from servers, paths and variables.
func (d *doctor) print(text string) {
	text = filter.Redact(d.Settings.Mask(say.Clean(text)))
	_, _ = io.WriteString(d.Out, say.Inert(text)+"\n") // there is nobody to tell
}

// maxForeign is how much is shown of a text of a server, in bytes.
const maxForeign = 300

// foreign shortens a text of a server.
func foreign(text string) string {
	text = strings.Join(strings.Fields(say.Clean(text)), " ")
	if len(text) <= maxForeign {
		return text
	}
	end := maxForeign
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// key names what a setting was set by; what is best used to set it, if nobody did.
func (d *doctor) key(name, best string) string {
	origin := d.Settings.Origins[name]
	switch {
	case origin.Source < config.FromOTel:
		return best
	case origin.Source == config.FromFile:
		return name + " in " + origin.String()
	}
	return origin.Key
}

// from says where a value comes from, as in the list of settings.
func (d *doctor) from(name string) string {
	return strings.TrimPrefix(d.Settings.Origins[name].String(), "from ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
