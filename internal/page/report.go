package page

import (
	"encoding/json"
	"html"
	"io"
	"time"

	"cbc-otel/internal/traces"
)

// bundle is what a report holds.
type bundle struct {
	Version int    `json:"version"` // of this format
	Made    string `json:"made"`
	Traces  []Doc  `json:"traces"`
}

// Render writes the page with the traces in it: one file that needs nothing else and connects to nothing.
func Render(w io.Writer, all []traces.Trace, made time.Time) error {
	b := bundle{Version: 1, Made: made.UTC().Format("2006-01-02 15:04 UTC"), Traces: make([]Doc, 0, len(all))}
	for _, t := range all {
		d := DocOf(t)
		d.Row.Path = "" // of the machine it was made on, and the home of who did
		b.Traces = append(b.Traces, d)
	}
	// Marshal escapes <, >, & and the two line ends of JavaScript: no text can end the element.
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	p := built()
	for _, part := range []string{
		p.before,
		`<meta http-equiv="Content-Security-Policy" content="` + html.EscapeString(p.policy) + "\">\n",
		p.between,
		`<script type="application/json" id="data">`, string(data), "</script>\n",
		p.after,
	} {
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}
