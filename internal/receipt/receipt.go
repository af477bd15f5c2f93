// Package receipt is the account of one run: what passed, what was made of it and where that went.
package receipt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cbc-otel/internal/native"
)

// Receipt is the JSON of --receipt. Counts are of this run alone.
type Receipt struct {
	Version   string              `json:"version"`
	Stdout    Stdout              `json:"stdout"`
	Events    Events              `json:"events"`
	Spans     Spans               `json:"spans"`
	Exporters map[string]Exporter `json:"exporters"`
	Native    *native.Counts      `json:"native,omitempty"` // what the CLI's own telemetry sent
	Metrics   *Metrics            `json:"metrics,omitempty"`
	Recovered int                 `json:"recovered_workflows,omitempty"` // of earlier runs that were killed
	Filter    map[string]int      `json:"filter_hits,omitempty"`         // by rule
	Exit      Exit                `json:"exit"`
	AddedMS   float64             `json:"added_ms"` // from the end of the command to ours
	Problems  []string            `json:"problems,omitempty"`
}

// Stdout is what was forwarded. SHA256 is of all its bytes, in hex.
type Stdout struct {
	Bytes  int64  `json:"bytes"`
	Lines  int64  `json:"lines"`
	SHA256 string `json:"sha256,omitempty"`
}

// Events are the lines that were looked at.
type Events struct {
	Seen       int64 `json:"seen"`
	Unparsable int64 `json:"unparsable"`
	Oversize   int64 `json:"oversize"` // lines too long to be decoded
	Late       int64 `json:"late"`     // snapshots after the grace period
	Skipped    int64 `json:"skipped"`  // snapshots replaced by a newer one before they were looked at
	Dropped    int64 `json:"dropped"`  // lines given up under memory pressure
}

// Spans are those made, by kind, before any exporter saw them. Filtered were dropped by a rule of the user.
type Spans struct {
	Workflows int `json:"workflows"`
	Phases    int `json:"phases"`
	Agents    int `json:"agents"`
	Sessions  int `json:"sessions,omitempty"` // of the command itself
	Native    int `json:"native,omitempty"`   // of the CLI's own telemetry
	Made      int `json:"made"`
	Filtered  int `json:"filtered"`
}

// Exporter says what became of the spans it was given: Made = Exported + Spooled + Lost + NotSampled.
type Exporter struct {
	Exported   int            `json:"exported"`
	Spooled    int            `json:"spooled"`
	Lost       int            `json:"lost"`
	NotSampled int            `json:"not_sampled"`
	Reasons    map[string]int `json:"reasons,omitempty"` // why spans were not exported
}

// Metrics says what became of the data points: Made = Exported + Spooled + Lost.
type Metrics struct {
	Made      int            `json:"made"`
	Exported  int            `json:"exported"`
	Spooled   int            `json:"spooled"`
	Lost      int            `json:"lost"`
	Reasons   map[string]int `json:"reasons,omitempty"`   // why points were not exported
	Resent    int            `json:"resent,omitempty"`    // of earlier runs
	Uncertain int            `json:"uncertain,omitempty"` // sent without an answer coming back: may be there twice
}

// Exit is how the command ended.
type Exit struct {
	Code   int    `json:"code"`
	Signal string `json:"signal,omitempty"`
}

// Reason adds n spans that were not exported for a reason.
func (e *Exporter) Reason(reason string, n int) {
	if e.Reasons == nil {
		e.Reasons = map[string]int{}
	}
	e.Reasons[reason] += n
}

// Hit adds n hits of a filter rule.
func (r *Receipt) Hit(rule string, n int) {
	if r.Filter == nil {
		r.Filter = map[string]int{}
	}
	r.Filter[rule] += n
}

// Lost is the number of spans that no exporter and no spool holds, over all exporters.
func (r *Receipt) Lost() (n int) {
	for _, e := range r.Exporters {
		n += e.Lost
	}
	return n
}

// Line is the receipt in one line of text.
func (r *Receipt) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "forwarded %d bytes, %d lines; %d events", r.Stdout.Bytes, r.Stdout.Lines, r.Events.Seen)
	for _, c := range []struct {
		n    int64
		what string
	}{
		{r.Events.Unparsable, "unparsable"}, {r.Events.Oversize, "oversize"}, {r.Events.Late, "late"},
		{r.Events.Skipped, "skipped"}, {r.Events.Dropped, "dropped"},
	} {
		if c.n > 0 {
			fmt.Fprintf(&b, ", %d %s", c.n, c.what)
		}
	}
	fmt.Fprintf(&b, "; workflows %d, phases %d, agents %d", r.Spans.Workflows, r.Spans.Phases, r.Spans.Agents)
	names := make([]string, 0, len(r.Exporters))
	for name := range r.Exporters {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		e := r.Exporters[name]
		fmt.Fprintf(&b, "; %s: %d exported, %d spooled, %d lost, %d not sampled", name, e.Exported, e.Spooled, e.Lost, e.NotSampled)
	}
	if m := r.Metrics; m != nil {
		fmt.Fprintf(&b, "; metrics: %d points exported, %d spooled, %d lost", m.Exported, m.Spooled, m.Lost)
	}
	fmt.Fprintf(&b, "; added %s", time.Duration(r.AddedMS*float64(time.Millisecond)).Round(100*time.Microsecond))
	return b.String()
}

// pipeWait is how long a reader of the receipt is waited for, who may never come.
const pipeWait = time.Second

// writeWithin writes to what is no file, in the background if it takes too long.
func writeWithin(path string, data []byte, limit time.Duration) error {
	done := make(chan error, 1)
	go func() { done <- os.WriteFile(path, data, 0o600) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return fmt.Errorf("%s: nobody reads it", path)
	}
}

// Write stores the receipt as JSON under path, whole or not at all, readable by its owner alone.
func (r *Receipt) Write(path string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		// A pipe or /dev/stderr: nothing to replace.
		if err := writeWithin(path, append(data, '\n'), pipeWait); err != nil {
			return fmt.Errorf("receipt: %w", err)
		}
		return nil
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".receipt-*")
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return fmt.Errorf("receipt: %s: %w", path, failed.Err) // the user named path
	} else if err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	_, err = file.Write(append(data, '\n'))
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return fmt.Errorf("receipt: %w", err)
	}
	return nil
}
