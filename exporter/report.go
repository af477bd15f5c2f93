package exporter

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cbc-otel/mapping"
)

// Report is the account of a run: every span given to Export is, for each exporter, in exactly one of its classes.
type Report struct {
	Made      int              `json:"spans_made"`
	Trees     int              `json:"workflows"`
	Trimmed   int              `json:"spans_trimmed,omitempty"` // lost content because they were too large for a batch
	Exporters []ExporterReport `json:"exporters"`
}

// ExporterReport counts spans.
type ExporterReport struct {
	Name       string         `json:"name"`
	Exported   int            `json:"exported"`
	Spooled    int            `json:"spooled"`
	NotSampled int            `json:"not_sampled"`
	Lost       map[Reason]int `json:"lost,omitempty"`

	// Uncertain spans may have arrived in a request whose answer was lost or not waited for, whatever class they are
	// in, and may be there twice in the end. Spans of earlier runs are among them.
	Uncertain int `json:"uncertain,omitempty"`

	// Of earlier runs; not among the spans made.
	Resent       int `json:"resent,omitempty"`        // sent from the spool
	SpoolRemoved int `json:"spool_removed,omitempty"` // removed from the spool by its bounds

	Endpoint string `json:"endpoint,omitempty"`
	Reason   Reason `json:"reason,omitempty"` // of the last failure
	Error    string `json:"error,omitempty"`  // the same in full; untrusted text
}

// LostTotal is the number of spans lost for whatever reason.
func (e ExporterReport) LostTotal() int {
	n := 0
	for _, lost := range e.Lost {
		n += lost
	}
	return n
}

// Lost is the largest number of spans any exporter lost.
func (r Report) Lost() int {
	n := 0
	for _, e := range r.Exporters {
		n = max(n, e.LostTotal())
	}
	return n
}

// Check returns an error if the classes of an exporter do not add up to the spans made.
func (r Report) Check() error {
	for _, e := range r.Exporters {
		if sum := e.Exported + e.Spooled + e.NotSampled + e.LostTotal(); sum != r.Made {
			return fmt.Errorf("%s: %d exported + %d spooled + %d not sampled + %d lost = %d, not the %d spans made",
				e.Name, e.Exported, e.Spooled, e.NotSampled, e.LostTotal(), sum, r.Made)
		}
	}
	return nil
}

// String is one line for a person.
func (e ExporterReport) String() string {
	var parts []string
	add := func(n int, format string, args ...any) {
		if n != 0 {
			parts = append(parts, fmt.Sprintf("%d ", n)+fmt.Sprintf(format, args...))
		}
	}
	add(e.Exported, "exported")
	add(e.Spooled, "spooled")
	add(e.NotSampled, "not sampled")
	for _, reason := range slices.Sorted(maps.Keys(e.Lost)) {
		add(e.Lost[reason], "lost (%s)", reason)
	}
	if len(parts) == 0 {
		parts = []string{"no spans"}
	}
	add(e.Resent, "of earlier runs sent")
	add(e.SpoolRemoved, "of earlier runs removed from the spool")
	return e.Name + ": " + strings.Join(parts, ", ")
}

// TreeResult says that a tree is dealt with.
type TreeResult struct {
	TaskID  string
	TraceID mapping.TraceID
	RootID  mapping.SpanID
	Spans   int
	// Lost spans of the exporter that lost most, apart from those a receiver refused: another try might save them.
	Lost   int
	LostIn []string // names of the exporters that lost any
}
